// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_7_float {
  float at[7];
};

inline bool less(float x, float y) {
  return x < y;
}

inline bool2 less(float2 x, float2 y) {
  return bool2(less(x.x, y.x), less(x.y, y.y));
}

inline bool less(uint x, uint y) {
  return x < y;
}

inline bool2 less(uint2 x, uint2 y) {
  return bool2(less(x.x, y.x), less(x.y, y.y));
}

inline array_7_float make_array_7_float(float x0, float x1, float x2, float x3, float x4, float x5, float x6) {
  array_7_float made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  made.at[4] = x4;
  made.at[5] = x5;
  made.at[6] = x6;
  return made;
}

inline void copy_device_thread_array_7_float(device array_7_float& to, thread const array_7_float& from) {
  for (uint i = 0u; i < 7u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const float* data [[buffer(0)]],
  device array_7_float* results [[buffer(1)]],
  device int2* exponents [[buffer(2)]],
  device float* rounded [[buffer(3)]],
  constant uint* lengths [[buffer(4)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const float x = data[i];
  const uint t = as_type<uint>((abs(x) < 1.1754944e-38f ? x * 1.6777216e+07f : x)) & 2155872255u;
  const float t_1 = ((as_type<uint>(x) & 2147483647u) - 1u < 2139095039u ? as_type<float>(t | 1056964608u) : x);
  const bool t_2 = abs(x) < 1.1754944e-38f;
  const int t_3 = int(((as_type<uint>((t_2 ? x * 1.6777216e+07f : x)) >> 23u) & 255u) - uint((t_2 ? 150 : 126)));
  const int t_4 = ((as_type<uint>(x) & 2147483647u) - 1u < 2139095039u ? t_3 : 0);
  const float2 t_5 = float2(x * 0.5f, 3.0f);
  const float2 t_6 = select(t_5, t_5 * 1.6777216e+07f, less(abs(t_5), float2(1.1754944e-38f)));
  const bool2 t_7 = less((as_type<uint2>(t_5) & uint2(2147483647u)) - 1u, uint2(2139095039u));
  const float2 t_8 = as_type<float2>((as_type<uint2>(t_6) & uint2(2155872255u)) | uint2(1056964608u));
  const float2 t_9 = select(t_5, t_8, t_7);
  const bool2 t_10 = less(abs(t_5), float2(1.1754944e-38f));
  const uint2 t_11 = (as_type<uint2>(select(t_5, t_5 * 1.6777216e+07f, t_10)) >> uint2(23u)) & uint2(255u);
  const bool2 t_12 = less((as_type<uint2>(t_5) & uint2(2147483647u)) - 1u, uint2(2139095039u));
  const int2 t_13 = select(int2(0), int2(t_11 - uint2(select(int2(126), int2(150), t_10))), t_12);
  const float t_14 = trunc(x);
  const float3 t_15 = float3(x * 0.25f, -2.5f, 7.0f);
  const float3 t_16 = trunc(t_15);
  const float3 t_17 = t_15 - t_16;
  if (i < lengths[2]) {
    exponents[i] = int2(t_4, int(uint(t_13.x) * 100u + uint(t_13.y)));
  }
  const int t_18 = (t_4 > 127 ? 127 : (t_4 < -126 ? -102 : 0));
  const int t_19 = int(uint(t_4) - uint(t_18));
  const int t_20 = (t_19 > 127 ? 127 : (t_19 < -126 ? -102 : 0));
  const float t_21 = t_1 * as_type<float>((uint(t_18) + 127u) << 23u) * as_type<float>((uint(t_20) + 127u) << 23u);
  const float t_22 = as_type<float>((uint(min(max(int(uint(t_19) - uint(t_20)), -126), 127)) + 127u) << 23u);
  const array_7_float t_23 = make_array_7_float(t_1, t_9.x + t_9.y, x - t_14, t_14, t_17.x + t_16.y + t_17.y, t_21 * t_22, (float2(x, 1.5f) * 1.0f * 1.0f * float2(8.0f, 0.25f)).x);
  if (i < lengths[1]) {
    copy_device_thread_array_7_float(results[i], t_23);
  }
  if (i < lengths[3]) {
    rounded[i] = float(half(min(max(x, -60000.0f), 60000.0f)));
  }
}
