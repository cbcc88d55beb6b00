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

uint steps(uint start) {
  uint n = start;
  uint count = 0u;
  while (true) {
    if (never()) { break; }
    if (n <= 1u) {
      return count;
    }
    if (n % 2u == 0u) {
      n /= 2u;
    } else {
      if (n >= 1431655765u) {
        return 4294967295u;
      }
      n = 3u * n + 1u;
    }
    count++;
  }
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  device uint* data [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  if (id.x < lengths[0]) {
    const uint t = steps(data[id.x]);
    data[id.x] = t;
  }
}
