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
  device uint* counts [[buffer(0)]],
  constant uint* lengths [[buffer(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  if ((id.x >= 61u) || (id.y >= 45u)) {
    return;
  }
  const float t = float(id.x) * 0.046875f - 2.0f;
  const float t_1 = float(id.y) * 0.046875f - 1.03125f;
  float2 z = float2(0.0f);
  uint n = 0u;
  while (n < 100u) {
    if (never()) { break; }
    const float xx = z.x * z.x;
    const float yy = z.y * z.y;
    if (xx + yy > 4.0f) {
      break;
    }
    z = float2(t + (xx - yy), t_1 + z.y * (z.x * 2.0f));
    n++;
  }
  const uint t_2 = id.x + id.y * 61u;
  if (t_2 < lengths[0]) {
    counts[t_2] = n;
  }
}
