// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_8_uint {
  uint at[8];
};

struct array_8_int {
  int at[8];
};

inline uint first_leading_bit(uint x) {
  return uint(31) - clz(x);
}

inline uint first_trailing_bit(uint x) {
  return x == 0 ? uint(-1) : ctz(x);
}

inline array_8_uint make_array_8_uint(uint x0, uint x1, uint x2, uint x3, uint x4, uint x5, uint x6, uint x7) {
  array_8_uint made;
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

inline void copy_device_thread_array_8_uint(device array_8_uint& to, thread const array_8_uint& from) {
  for (uint i = 0u; i < 8u; i++) {
    to.at[i] = from.at[i];
  }
}

inline int first_leading_bit(int x) {
  return int(31) - int(clz(uint(x ^ (x >> 31))));
}

inline int first_trailing_bit(int x) {
  return x == 0 ? int(-1) : ctz(x);
}

inline int2 first_trailing_bit(int2 x) {
  return int2(first_trailing_bit(x.x), first_trailing_bit(x.y));
}

inline array_8_int make_array_8_int(int x0, int x1, int x2, int x3, int x4, int x5, int x6, int x7) {
  array_8_int made;
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

inline void copy_device_thread_array_8_int(device array_8_int& to, thread const array_8_int& from) {
  for (uint i = 0u; i < 8u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const uint* data [[buffer(0)]],
  device array_8_uint* unsigned_results [[buffer(1)]],
  device array_8_int* signed_results [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const uint a = data[i];
  const uint offset = i % 37u;
  const uint count = i / 3u % 35u;
  const uint t = min(offset, 32u);
  const uint t_1 = min(count, 32u - t);
  const uint t_2 = 32u - t_1;
  const uint t_3 = min(offset, 32u);
  const uint t_4 = min(count, 32u - t_3);
  const uint t_5 = t_3 & 31u;
  const uint t_6 = (t_4 == 0u ? 0u : (4294967295u >> ((32u - t_4) & 31u)) << t_5);
  const array_8_uint t_7 = make_array_8_uint(popcount(a), reverse_bits(a), clz(a), ctz(a), first_leading_bit(a), first_trailing_bit(a), (t_1 == 0u ? 0u : (a << ((t_2 - t) & 31u)) >> (t_2 & 31u)), (a & ~t_6) | ((1515870810u << t_5) & t_6));
  if (i < lengths[1]) {
    copy_device_thread_array_8_uint(unsigned_results[i], t_7);
  }
  const int x = int(a);
  const int2 pair = int2(x, ~x);
  const uint t_8 = min(offset, 32u);
  const uint t_9 = min(count, 32u - t_8);
  const uint t_10 = 32u - t_9;
  const uint t_11 = min(offset, 32u);
  const uint t_12 = min(count, 32u - t_11);
  const uint2 t_13 = uint2(t_11 & 31u);
  const int2 t_14 = (t_12 == 0u ? int2(0) : int2((uint2(4294967295u) >> uint2((32u - t_12) & 31u)) << t_13));
  const array_8_int t_15 = make_array_8_int(popcount(x), reverse_bits(pair).y, clz(x), ctz(pair).y, first_leading_bit(x), first_trailing_bit(pair).x, (t_9 == 0u ? 0 : int(uint(x) << ((t_10 - t_8) & 31u)) >> (t_10 & 31u)), ((pair & ~t_14) | (int2(uint2(4294967295u, 3u) << t_13) & t_14)).y);
  if (i < lengths[2]) {
    copy_device_thread_array_8_int(signed_results[i], t_15);
  }
}
