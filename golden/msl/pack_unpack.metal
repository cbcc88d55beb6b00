// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_9_uint {
  uint at[9];
};

struct array_4_float4 {
  float4 at[4];
};

inline int int_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return int(min(max(float(x), -2147483648.0f), 2147483520.0f));
}

inline uint uint_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return uint(min(max(float(x), 0.0f), 4294967040.0f));
}

inline array_9_uint make_array_9_uint(uint x0, uint x1, uint x2, uint x3, uint x4, uint x5, uint x6, uint x7, uint x8) {
  array_9_uint made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  made.at[4] = x4;
  made.at[5] = x5;
  made.at[6] = x6;
  made.at[7] = x7;
  made.at[8] = x8;
  return made;
}

inline void copy_device_thread_array_9_uint(device array_9_uint& to, thread const array_9_uint& from) {
  for (uint i = 0u; i < 9u; i++) {
    to.at[i] = from.at[i];
  }
}

inline array_4_float4 make_array_4_float4(float4 x0, float4 x1, float4 x2, float4 x3) {
  array_4_float4 made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  return made;
}

inline void copy_device_thread_array_4_float4(device array_4_float4& to, thread const array_4_float4& from) {
  for (uint i = 0u; i < 4u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const float4* floats [[buffer(0)]],
  device const uint* words [[buffer(1)]],
  device array_9_uint* packed [[buffer(2)]],
  device array_4_float4* unpacked [[buffer(3)]],
  device int4* integers [[buffer(4)]],
  constant uint* lengths [[buffer(5)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const float4 f = floats[i];
  const uint w = words[min(i, lengths[1] - 1u)];
  const int t = int(w);
  const int4 bytes = int4(extract_bits(t, 0u, 11u), -200, 200, t);
  const float t_1 = min(max(f.x, -1.0f), 1.0f);
  const float t_2 = floor(t_1 * 127.0f + 0.5f);
  const uint t_3 = uint(int_of_float((fma(t_1, 127.0f, 0.5f - t_2) < 0.0f ? t_2 - 1.0f : t_2)));
  const float t_4 = min(max(f.y, -1.0f), 1.0f);
  const float t_5 = floor(t_4 * 127.0f + 0.5f);
  const uint t_6 = uint(int_of_float((fma(t_4, 127.0f, 0.5f - t_5) < 0.0f ? t_5 - 1.0f : t_5)));
  const float t_7 = min(max(f.z, -1.0f), 1.0f);
  const float t_8 = floor(t_7 * 127.0f + 0.5f);
  const uint t_9 = uint(int_of_float((fma(t_7, 127.0f, 0.5f - t_8) < 0.0f ? t_8 - 1.0f : t_8)));
  const float t_10 = min(max(f.w, -1.0f), 1.0f);
  const float t_11 = floor(t_10 * 127.0f + 0.5f);
  const int t_12 = int_of_float((fma(t_10, 127.0f, 0.5f - t_11) < 0.0f ? t_11 - 1.0f : t_11));
  const uint t_13 = (t_3 & 255u) | ((t_6 & 255u) << 8u) | ((t_9 & 255u) << 16u) | (uint(t_12) << 24u);
  const float t_14 = min(max(f.x, 0.0f), 1.0f);
  const float t_15 = floor(t_14 * 255.0f + 0.5f);
  const uint t_16 = uint_of_float((fma(t_14, 255.0f, 0.5f - t_15) < 0.0f ? t_15 - 1.0f : t_15));
  const float t_17 = min(max(f.y, 0.0f), 1.0f);
  const float t_18 = floor(t_17 * 255.0f + 0.5f);
  const uint t_19 = uint_of_float((fma(t_17, 255.0f, 0.5f - t_18) < 0.0f ? t_18 - 1.0f : t_18));
  const float t_20 = min(max(f.z, 0.0f), 1.0f);
  const float t_21 = floor(t_20 * 255.0f + 0.5f);
  const uint t_22 = uint_of_float((fma(t_20, 255.0f, 0.5f - t_21) < 0.0f ? t_21 - 1.0f : t_21));
  const float t_23 = min(max(f.w, 0.0f), 1.0f);
  const float t_24 = floor(t_23 * 255.0f + 0.5f);
  const uint t_25 = uint_of_float((fma(t_23, 255.0f, 0.5f - t_24) < 0.0f ? t_24 - 1.0f : t_24));
  const float2 xy = f.xy;
  const float t_26 = min(max(xy.x, -1.0f), 1.0f);
  const float t_27 = floor(t_26 * 32767.0f + 0.5f);
  const int t_28 = int_of_float((fma(t_26, 32767.0f, 0.5f - t_27) < 0.0f ? t_27 - 1.0f : t_27));
  const float t_29 = min(max(xy.y, -1.0f), 1.0f);
  const float t_30 = floor(t_29 * 32767.0f + 0.5f);
  const int t_31 = int_of_float((fma(t_29, 32767.0f, 0.5f - t_30) < 0.0f ? t_30 - 1.0f : t_30));
  const float2 zw = f.zw;
  const float t_32 = min(max(zw.x, 0.0f), 1.0f);
  const float t_33 = floor(t_32 * 65535.0f + 0.5f);
  const uint t_34 = uint_of_float((fma(t_32, 65535.0f, 0.5f - t_33) < 0.0f ? t_33 - 1.0f : t_33));
  const float t_35 = min(max(zw.y, 0.0f), 1.0f);
  const float t_36 = floor(t_35 * 65535.0f + 0.5f);
  const uint t_37 = uint_of_float((fma(t_35, 65535.0f, 0.5f - t_36) < 0.0f ? t_36 - 1.0f : t_36));
  const uint t_38 = (uint(bytes.x) & 255u) | ((uint(bytes.y) & 255u) << 8u) | ((uint(bytes.z) & 255u) << 16u);
  const uint4 t_39 = uint4(bytes);
  const uint t_40 = (t_39.x & 255u) | ((t_39.y & 255u) << 8u) | ((t_39.z & 255u) << 16u) | (t_39.w << 24u);
  const uint t_41 = (uint(min(max(bytes.x, -128), 127)) & 255u) | ((uint(min(max(bytes.y, -128), 127)) & 255u) << 8u);
  const uint t_42 = t_41 | ((uint(min(max(bytes.z, -128), 127)) & 255u) << 16u) | (uint(min(max(bytes.w, -128), 127)) << 24u);
  const uint4 t_43 = t_39 & uint4(511u);
  const uint t_44 = min(t_43.x, 255u) | (min(t_43.y, 255u) << 8u) | (min(t_43.z, 255u) << 16u);
  const array_9_uint t_45 = make_array_9_uint(t_13, t_16 | (t_19 << 8u) | (t_22 << 16u) | (t_25 << 24u), (uint(t_28) & 65535u) | (uint(t_31) << 16u), t_34 | (t_37 << 16u), as_type<uint>(half2(f.yz * 8.0f)), t_38 | (uint(bytes.w) << 24u), t_40, t_42, t_44 | (min(t_43.w, 255u) << 24u));
  if (i < lengths[2]) {
    copy_device_thread_array_9_uint(packed[i], t_45);
  }
  const float4 t_46 = float4(max(float(int(w << 24u) >> 24u) / 127.0f, -1.0f), max(float(int(w << 16u) >> 24u) / 127.0f, -1.0f), max(float(int(w << 8u) >> 24u) / 127.0f, -1.0f), max(float(int(w) >> 24u) / 127.0f, -1.0f));
  const float4 t_47 = float4(float(w & 255u) / 255.0f, float((w >> 8u) & 255u) / 255.0f, float((w >> 16u) & 255u) / 255.0f, float(w >> 24u) / 255.0f);
  const float2 t_48 = float2(max(float(int(w << 16u) >> 16u) / 32767.0f, -1.0f), max(float(int(w) >> 16u) / 32767.0f, -1.0f));
  const float2 t_49 = float2(float(w & 65535u) / 65535.0f, float(w >> 16u) / 65535.0f);
  const float2 t_50 = float2(as_type<half2>(w & 2080340991u));
  const float2 t_51 = float2(as_type<half2>(w & 2214543359u));
  const array_4_float4 t_52 = make_array_4_float4(t_46, t_47, float4(t_48.x, t_48.y, t_49.x, t_49.y), float4(t_50.x, t_50.y, t_51.x, t_51.y));
  if (i < lengths[3]) {
    copy_device_thread_array_4_float4(unpacked[i], t_52);
  }
  const int4 t_53 = int4(int(w << 24u) >> 24u, int(w << 16u) >> 24u, int(w << 8u) >> 24u, int(w) >> 24u);
  const int4 t_54 = int4(uint4(t_53) * uint4(1000u) + uint4(int4(uint4(w & 255u, (w >> 8u) & 255u, (w >> 16u) & 255u, w >> 24u))));
  if (i < lengths[4]) {
    integers[i] = t_54;
  }
}
