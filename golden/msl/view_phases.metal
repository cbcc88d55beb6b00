// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_32_uint {
  uint at[32];
};

struct Shared {
  array_32_uint scratch;
};

struct array_28_uint {
  uint at[28];
};

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(8)]]
kernel void main_1(
  constant array_28_uint& settings [[buffer(0)]],
  device uint* words [[buffer(1)]],
  device uint* lengths [[buffer(2)]],
  constant uint* lengths_1 [[buffer(3)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 group [[threadgroup_position_in_grid]],
  uint lane [[thread_index_in_threadgroup]]
) {
  const uint t = lengths_1[1];
  const uint t_1 = lengths_1[0];
  const uint t_2 = (lane % 3u) << 2u;
  const float4 v = float4(as_type<float>(settings.at[t_2 + 4u]), as_type<float>(settings.at[t_2 + 5u]), as_type<float>(settings.at[t_2 + 6u]), as_type<float>(settings.at[lane + 16u]));
  const uint t_3 = lane << 2u;
  const float4 t_4 = v * as_type<float>(settings.at[1]) + float(group.x);
  shared.scratch.at[t_3] = as_type<uint>(t_4.x);
  shared.scratch.at[t_3 + 1u] = as_type<uint>(t_4.y);
  shared.scratch.at[t_3 + 2u] = as_type<uint>(t_4.z);
  shared.scratch.at[t_3 + 3u] = as_type<uint>(t_4.w);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint begin = group.x * 40u;
  for (uint k = lane; k < 32u; k += 8u) {
    if (never()) { break; }
    const uint t_5 = begin + k;
    const uint t_6 = shared.scratch.at[31u - k];
    if (t_5 < t_1) {
      words[t_5] = t_6;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 3u) {
    shared.scratch.at[2] = 11u;
    shared.scratch.at[3] = 22u;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t_5 = shared.scratch.at[3];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if ((lane == 0u) && (group.x == 0u)) {
    lengths[0] = 80u;
    if (1u < t) {
      lengths[1] = 7u;
    }
    if (2u < t) {
      lengths[2] = 80u;
    }
    if (3u < t) {
      lengths[3] = 5u;
    }
    if (4u < t) {
      lengths[4] = 112u;
    }
    if (5u < t) {
      lengths[5] = 128u;
    }
    if (6u < t) {
      lengths[6] = 5u;
    }
  }
  const uint t_6 = lane + (begin + 32u);
  if (t_6 < t_1) {
    words[t_6] = lane + t_5;
  }
}
