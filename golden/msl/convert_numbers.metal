// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

inline int int_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return int(min(max(float(x), -2147483648.0f), 2147483520.0f));
}

inline int2 int_of_float(float2 x) {
  return int2(int_of_float(x.x), int_of_float(x.y));
}

inline uint uint_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return uint(min(max(float(x), 0.0f), 4294967040.0f));
}

inline uint2 uint_of_float(float2 x) {
  return uint2(uint_of_float(x.x), uint_of_float(x.y));
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const float* floats [[buffer(0)]],
  device const uint* words [[buffer(1)]],
  device int4* integers [[buffer(2)]],
  device uint4* unsigned_integers [[buffer(3)]],
  device float4* converted [[buffer(4)]],
  constant uint* lengths [[buffer(5)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const float f = floats[i];
  const uint w = words[min(i, lengths[1] - 1u)];
  const float t = -f;
  const int2 t_1 = int_of_float(float2(t, f * 0.5f));
  if (i < lengths[2]) {
    integers[i] = int4(int_of_float(f), int(w), t_1.x, t_1.y);
  }
  const uint4 t_2 = uint4(uint_of_float(f), as_type<uint>(f), uint(bool(w & 8u)) | (uint(bool(f)) << 1u), uint_of_float(float2(f, t)).y);
  if (i < lengths[3]) {
    unsigned_integers[i] = t_2;
  }
  const float4 t_3 = float4(float(w), float(int(w)), float((w & 1u) == 1u), as_type<float2>(uint2(w & 3212836863u, 0u)).x);
  if (i < lengths[4]) {
    converted[i] = t_3;
  }
}
