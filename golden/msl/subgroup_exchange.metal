// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  device const uint* data [[buffer(0)]],
  device uint* mistakes [[buffer(1)]],
  device uint2* echoed [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]],
  uint lane [[thread_index_in_simdgroup]]
) {
  const uint active_lanes = simd_sum(1u);
  const uint value = data[id.x % lengths[0]];
  const uint first = simd_broadcast_first(lane);
  const uint t = simd_min(lane);
  const uint t_1 = simd_broadcast(lane, ushort(0u));
  const uint wrong = uint(first != t) + uint(active_lanes > 32u) + uint(t_1 != 0u) * uint(first == 0u);
  const uint own = simd_shuffle(value, ushort(lane));
  const uint t_2 = active_lanes - 1u;
  const uint mirrored = simd_shuffle(lane, ushort(t_2 - min(lane, t_2)));
  const uint wrong_1 = wrong + uint(value != own);
  const uint wrong_2 = wrong_1 + uint(mirrored != t_2 - lane) * uint(lane < active_lanes);
  const uint below = simd_shuffle_up(lane, ushort(1u));
  const uint above = simd_shuffle_down(lane, ushort(1u));
  const uint across = simd_shuffle_xor(lane, ushort(1u));
  const uint wrong_3 = wrong_2 + uint((lane != 0u) && (below != lane - 1u));
  const uint t_3 = lane + 1u;
  const uint wrong_4 = wrong_3 + uint((t_3 < active_lanes) && (above != t_3));
  const uint t_4 = lane ^ 1u;
  const uint wrong_5 = wrong_4 + uint((t_4 < active_lanes) && (across != t_4));
  const uint t_5 = simd_product(1u);
  const uint wrong_6 = wrong_5 + uint(t_5 != 1u);
  const uint t_6 = simd_and(value);
  const uint t_7 = simd_and(value);
  const uint wrong_7 = wrong_6 + uint((value & t_6) != t_7);
  const uint t_8 = simd_or(value);
  const uint t_9 = simd_or(value);
  const uint wrong_8 = wrong_7 + uint((value | t_8) != t_9);
  const uint t_10 = simd_xor(1u);
  const uint wrong_9 = wrong_8 + uint(t_10 != (active_lanes & 1u));
  if (id.x < lengths[1]) {
    mistakes[id.x] = wrong_9;
  }
  if (id.x < lengths[2]) {
    echoed[id.x] = uint2(own, value ^ 1u);
  }
}
