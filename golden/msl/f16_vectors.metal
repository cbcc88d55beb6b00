// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_2_half2 {
  half2 at[2];
};

struct array_3_half {
  half at[3];
};

struct Mixed {
  half a;
  half b;
  char gap[4];
  packed_half3 c;
  half d;
  half2 e;
  float f;
  array_2_half2 g;
  array_3_half h;
  char gap_1[2];
};
static_assert(sizeof(Mixed) == 40, "the size of Mixed");

struct array_8_float {
  float at[8];
};

inline void copy_thread_device_array_2_half2(thread array_2_half2& to, device const array_2_half2& from) {
  for (uint i = 0u; i < 2u; i++) {
    to.at[i] = from.at[i];
  }
}

inline void copy_thread_device_array_3_half(thread array_3_half& to, device const array_3_half& from) {
  for (uint i = 0u; i < 3u; i++) {
    to.at[i] = from.at[i];
  }
}

inline void copy_thread_device_Mixed(thread Mixed& to, device const Mixed& from) {
  to.a = from.a;
  to.b = from.b;
  to.c[0] = from.c[0];
  to.c[1] = from.c[1];
  to.c[2] = from.c[2];
  to.d = from.d;
  to.e = from.e;
  to.f = from.f;
  copy_thread_device_array_2_half2(to.g, from.g);
  copy_thread_device_array_3_half(to.h, from.h);
}

inline Mixed load_device_Mixed(device const Mixed& from) {
  Mixed to;
  copy_thread_device_Mixed(to, from);
  return to;
}

inline void set_device_packed_half3(device packed_half3& to, half3 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

inline array_2_half2 make_array_2_half2(half2 x0, half2 x1) {
  array_2_half2 made;
  made.at[0] = x0;
  made.at[1] = x1;
  return made;
}

inline void copy_device_thread_array_2_half2(device array_2_half2& to, thread const array_2_half2& from) {
  for (uint i = 0u; i < 2u; i++) {
    to.at[i] = from.at[i];
  }
}

inline array_8_float make_array_8_float(float x0, float x1, float x2, float x3, float x4, float x5, float x6, float x7) {
  array_8_float made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  made.at[4] = x4;
  made.at[5] = x5;
  made.at[6] = x6;
  made.at[7] = x7;
  return made;
}

inline void copy_device_thread_array_8_float(device array_8_float& to, thread const array_8_float& from) {
  for (uint i = 0u; i < 8u; i++) {
    to.at[i] = from.at[i];
  }
}

inline uint uint_of_half(half x) {
  if ((as_type<ushort>(x) & 0x7fff) > 0x7c00) {
    return 0;
  }
  return uint(min(max(float(x), 0.0f), 65504.0f));
}

inline int int_of_half(half x) {
  if ((as_type<ushort>(x) & 0x7fff) > 0x7c00) {
    return 0;
  }
  return int(min(max(float(x), -65504.0f), 65504.0f));
}

[[max_total_threads_per_threadgroup(4)]]
kernel void main_1(
  constant half4& scale [[buffer(0)]],
  device const Mixed* given [[buffer(1)]],
  device Mixed* stored [[buffer(2)]],
  device array_8_float* floats [[buffer(3)]],
  device uint4* words [[buffer(4)]],
  constant uint* lengths [[buffer(5)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[1];
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const Mixed m = load_device_Mixed(given[i]);
  if (i < t) {
    stored[i].a = m.b;
  }
  const half3 t_1 = half3(m.c);
  if (i < t) {
    set_device_packed_half3(stored[i].c, t_1 * scale.xyz);
  }
  if (i < t) {
    stored[i].e.y = m.a + m.d;
  }
  const half2 t_2 = m.g.at[1];
  if (i < t) {
    copy_device_thread_array_2_half2(stored[i].g, make_array_2_half2(t_2, m.e));
  }
  if (i < t) {
    stored[i].h.at[i % 3u] = half(m.f);
  }
  const array_8_float t_3 = make_array_8_float(float(m.a), float(t_1.z), float(m.d), float(t_2.x), float(m.h.at[2]), float(dot(half2(m.e.x, half(4.0f)), half2(half(1.0f), half(2.0f)))), float(max(m.b, m.a)), float(m.a < m.b));
  if (i < lengths[2]) {
    copy_device_thread_array_8_float(floats[i], t_3);
  }
  const uint4 t_4 = uint4(as_type<uint>(m.e), uint_of_half(abs(m.a)) + 3u, uint(int_of_half(trunc(m.b))) << 1u, as_type<uint>(half2(float2(t_1.xy))));
  if (i < lengths[3]) {
    words[i] = t_4;
  }
}
