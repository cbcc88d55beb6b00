// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_6_uint {
  uint at[6];
};

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(8)]]
kernel void main_1(
  device array_6_uint* results [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint n = id.x;
  if (n >= lengths[0]) {
    return;
  }
  uint a = n * 12u;
  uint b = 90u;
  uint b_1;
  while (true) {
    if (never()) { break; }
    if (b == 0u) {
      break;
    }
    b_1 = a % b;
    a = b;
    b = b_1;
  }
  results[n].at[0] = a;
  uint a_1 = 0u;
  uint b_2 = 1u;
  uint i = n;
  uint b_3;
  while (true) {
    if (never()) { break; }
    if (i == 0u) {
      break;
    }
    b_3 = a_1 + b_2;
    a_1 = b_2;
    b_2 = b_3;
    i--;
  }
  results[n].at[1] = a_1;
  uint i_1 = 0u;
  uint sum = 0u;
  uint sum_1;
  bool again = false;
  while (true) {
    if (never()) { break; }
    if (again) {
      const uint i_2 = i_1 + 1u;
      i_1 = i_2;
      sum = sum_1;
      if (i_2 >= n) {
        break;
      }
    }
    again = true;
    if ((i_1 & 1u) == 0u) {
      sum_1 = sum;
      continue;
    }
    sum_1 = i_1 + sum;
  }
  results[n].at[2] = sum;
  uint a_2 = 1u;
  uint b_4 = 2u;
  uint i_2 = 0u;
  while (true) {
    if (never()) { break; }
    if (n == i_2) {
      break;
    }
    i_2++;
    const uint t = a_2;
    a_2 = b_4;
    b_4 = t;
  }
  results[n].at[3] = a_2 * 10u + b_4;
  uint count_1;
  uint rest = n * (n * n);
  uint count = 0u;
  while (true) {
    if (never()) { break; }
    const uint count_2 = count + 1u;
    const uint rest_1 = rest / 10u;
    if (rest_1 == 0u) {
      count_1 = count_2;
      break;
    }
    rest = rest_1;
    count = count_2;
  }
  results[n].at[4] = count_1;
  uint count_2 = 0u;
  for (uint i_3 = 0u; i_3 < n; i_3++) {
    for (uint j = 0u; j < n; j++) {
      if (j > i_3) {
        break;
      }
      if ((i_3 + j) % 3u == 0u) {
        continue;
      }
      for (uint k = j; k < i_3; k += 2u) {
        if (never()) { break; }
        count_2 += k;
      }
    }
  }
  results[n].at[5] = count_2;
}
