// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_256_uint {
  uint at[256];
};

struct Shared {
  array_256_uint keys;
};

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

uint load(device uint* data, constant uint* lengths, uint at) {
  if (at < lengths[0]) {
    return data[at];
  }
  return 4294967295u;
}

[[max_total_threads_per_threadgroup(128)]]
kernel void main_1(
  device uint* data [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 group [[threadgroup_position_in_grid]],
  uint local [[thread_index_in_threadgroup]]
) {
  uint gap;
  const uint base = group.x * 256u;
  const uint t = load(data, lengths, base + local);
  shared.keys.at[local] = t;
  const uint t_1 = load(data, lengths, base + local + 128u);
  shared.keys.at[local + 128u] = t_1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint run = 2u;
  while (true) {
    if (never()) { break; }
    if (run > 256u) {
      break;
    }
    gap = run >> 1u;
    while (true) {
      if (never()) { break; }
      if (gap <= 0u) {
        break;
      }
      const uint low = 2u * local - (local & (gap - 1u));
      const uint high = low + gap;
      const bool upward = (low & run) == 0u;
      const uint a = shared.keys.at[min(low, 255u)];
      const uint b = shared.keys.at[min(high, 255u)];
      if ((a > b) == upward) {
        if (low < 256u) {
          shared.keys.at[low] = b;
        }
        if (high < 256u) {
          shared.keys.at[high] = a;
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      gap >>= 1u;
    }
    run <<= 1u;
  }
  if (base + local < lengths[0]) {
    data[base + local] = shared.keys.at[local];
  }
  if (base + local + 128u < lengths[0]) {
    data[base + local + 128u] = shared.keys.at[local + 128u];
  }
}
