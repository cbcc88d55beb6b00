// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_5_uint {
  uint at[5];
};

inline uint sum_of_products(uint4 x, uint4 y) {
  return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}

inline int sum_of_products(int3 x, int3 y) {
  return int(uint(x.x) * uint(y.x) + uint(x.y) * uint(y.y) + uint(x.z) * uint(y.z));
}

inline uint sum_of_products(uint2 x, uint2 y) {
  return x.x * y.x + x.y * y.y;
}

inline array_5_uint make_array_5_uint(uint x0, uint x1, uint x2, uint x3, uint x4) {
  array_5_uint made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  made.at[4] = x4;
  return made;
}

inline void copy_device_thread_array_5_uint(device array_5_uint& to, thread const array_5_uint& from) {
  for (uint i = 0u; i < 5u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const uint2* data [[buffer(0)]],
  device array_5_uint* results [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const uint a = data[i].x;
  const uint b = data[i].y;
  const uint t = a ^ b;
  const uint4 u = uint4(a, b, t, 3u);
  const int t_1 = int(a) >> 16u;
  const int t_2 = int(b) >> 20u;
  const uint t_3 = (a & 255u) * (b & 255u) + ((a >> 8u) & 255u) * ((b >> 8u) & 255u) + ((a >> 16u) & 255u) * ((b >> 16u) & 255u);
  const int t_4 = int(uint(int(a << 24u) >> 24u) * uint(int(b << 24u) >> 24u) + uint(int(a << 16u) >> 24u) * uint(int(b << 16u) >> 24u));
  const int t_5 = int(uint(t_4) + uint(int(a << 8u) >> 24u) * uint(int(b << 8u) >> 24u) + uint(int(a) >> 24u) * uint(int(b) >> 24u));
  const array_5_uint t_6 = make_array_5_uint(t_3 + (a >> 24u) * (b >> 24u), uint(t_5), sum_of_products(u, uint4(3u, t, b, a)), uint(sum_of_products(int3(t_1, -5, t_2), int3(t_2, -5, t_1))), sum_of_products(uint2(a, b), uint2(3u, 5u)));
  if (i < lengths[1]) {
    copy_device_thread_array_5_uint(results[i], t_6);
  }
}
