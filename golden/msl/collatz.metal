// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  device uint* data [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  if (id.x < lengths[0]) {
    const uint n = data[id.x];
    uint r;
    switch (0) {
      default: {
        uint r_1;
        uint r_2;
        uint n_1 = n;
        uint count = 0u;
        while (true) {
          if (never()) { break; }
          if (n_1 <= 1u) {
            r_1 = 1u;
            r_2 = count;
            break;
          }
          uint n_2;
          if ((n_1 & 1u) == 0u) {
            n_2 = n_1 >> 1u;
          } else {
            if (n_1 >= 1431655765u) {
              r_1 = 1u;
              r_2 = 4294967295u;
              break;
            }
            n_2 = n_1 * 3u + 1u;
          }
          n_1 = n_2;
          count++;
        }
        if (r_1 == 1u) {
          r = r_2;
          break;
        }
        break;
      }
    }
    data[id.x] = r;
  }
}
