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

[[max_total_threads_per_threadgroup(128)]]
kernel void main_1(
  device uint* data [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 group [[threadgroup_position_in_grid]],
  uint local [[thread_index_in_threadgroup]]
) {
  const uint base = group.x << 8u;
  const uint t = local + base;
  const uint t_1 = lengths[0];
  const bool t_2 = t < t_1;
  uint r = 4294967295u;
  if (t_2) {
    r = data[t];
  }
  shared.keys.at[local] = r;
  const uint t_3 = local + 128u;
  const uint t_4 = t + 128u;
  const bool t_5 = t_4 < t_1;
  uint r_1 = 4294967295u;
  if (t_5) {
    r_1 = data[t_4];
  }
  shared.keys.at[t_3] = r_1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t_6 = local << 1u;
  for (uint run = 2u; run <= 256u; run <<= 1u) {
    if (never()) { break; }
    for (uint gap = run >> 1u; gap != 0u; gap >>= 1u) {
      if (never()) { break; }
      const uint low = t_6 - (local & (gap - 1u));
      const uint high = low + gap;
      const bool upward = (low & run) == 0u;
      const uint a = shared.keys.at[min(low, 255u)];
      const uint b = shared.keys.at[min(high, 255u)];
      if (upward == (a > b)) {
        if (low < 256u) {
          shared.keys.at[low] = b;
        }
        if (high < 256u) {
          shared.keys.at[high] = a;
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  if (t_2) {
    data[t] = shared.keys.at[local];
  }
  if (t_5) {
    data[t_4] = shared.keys.at[t_3];
  }
}
