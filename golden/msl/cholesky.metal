// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_36_float {
  float at[36];
};

inline void copy_thread_device_array_36_float(thread array_36_float& to, device const array_36_float& from) {
  for (uint i = 0u; i < 36u; i++) {
    to.at[i] = from.at[i];
  }
}

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

inline void copy_device_thread_array_36_float(device array_36_float& to, thread const array_36_float& from) {
  for (uint i = 0u; i < 36u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(8)]]
kernel void main_1(
  device const array_36_float* matrices [[buffer(0)]],
  device array_36_float* factors [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  array_36_float m;
  if (id.x >= lengths[0]) {
    return;
  }
  copy_thread_device_array_36_float(m, matrices[id.x]);
  for (uint j = 0u; j < 6u; j++) {
    for (uint i = 0u; i < j; i++) {
      if (never()) { break; }
      m.at[i * 6u + j] = 0.0f;
    }
    const uint t = j * 6u;
    const uint t_1 = t + j;
    float diagonal = m.at[t_1];
    for (uint k = 0u; k < j; k++) {
      if (never()) { break; }
      const float l = m.at[t + k];
      diagonal -= l * l;
    }
    const float diagonal_1 = sqrt(diagonal);
    m.at[t_1] = diagonal_1;
    for (uint i = j + 1u; i < 6u; i++) {
      const uint t_2 = i * 6u;
      const uint t_3 = t_2 + j;
      float sum = m.at[t_3];
      for (uint k = 0u; k < j; k++) {
        if (never()) { break; }
        sum -= m.at[t_2 + k] * m.at[t + k];
      }
      m.at[t_3] = sum / diagonal_1;
    }
  }
  if (id.x < lengths[1]) {
    copy_device_thread_array_36_float(factors[id.x], m);
  }
}
