// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const int* dividends [[buffer(0)]],
  device const int* divisors [[buffer(1)]],
  device int2* signed_results [[buffer(2)]],
  device uint2* unsigned_results [[buffer(3)]],
  device int4* vector_results [[buffer(4)]],
  constant uint* lengths [[buffer(5)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[1];
  const uint i = id.x / t;
  const uint j = id.x % t;
  if (i >= lengths[0]) {
    return;
  }
  const int a = dividends[i];
  const int b = divisors[j];
  const int2 t_1 = int2(a / ((b == 0) || ((a == int(0x80000000u)) && (b == -1)) ? 1 : b), a % ((b == 0) || ((a == int(0x80000000u)) && (b == -1)) ? 1 : b));
  if (id.x < lengths[2]) {
    signed_results[id.x] = t_1;
  }
  const uint t_2 = uint(a);
  const uint t_3 = uint(b);
  if (id.x < lengths[3]) {
    unsigned_results[id.x] = uint2(t_2 / (t_3 == 0u ? 1u : t_3), t_2 % (t_3 == 0u ? 1u : t_3));
  }
  const int t_4 = 7 / (b == 0 ? 1 : b);
  const int4 t_5 = int4(a / ((b == 0) || ((a == int(0x80000000u)) && (b == -1)) ? 1 : b) % 1000, t_4 % ((b == 0) || ((t_4 == int(0x80000000u)) && (b == -1)) ? 1 : b), a / 3 % 17, int(0u - uint(a)) % 9);
  const int4 t_6 = int4(a);
  const int4 t_7 = int4(b);
  const int t_8 = ((t_7.x == 0) || ((t_6.x == int(0x80000000u)) && (t_7.x == -1)) ? 1 : t_7.x);
  const int t_9 = ((t_7.y == 0) || ((t_6.y == int(0x80000000u)) && (t_7.y == -1)) ? 1 : t_7.y);
  const int t_10 = ((t_7.z == 0) || ((t_6.z == int(0x80000000u)) && (t_7.z == -1)) ? 1 : t_7.z);
  const int t_11 = ((t_7.w == 0) || ((t_6.w == int(0x80000000u)) && (t_7.w == -1)) ? 1 : t_7.w);
  const int4 v = int4(uint4(t_5) + uint4(int4(t_6.x % t_8, t_6.y % t_9, t_6.z % t_10, t_6.w % t_11)));
  int4 v_1 = v;
  v_1.w = int(uint(v.w) - uint(a / 16));
  if (id.x < lengths[4]) {
    vector_results[id.x] = v_1;
  }
}
