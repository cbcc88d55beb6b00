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

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const float* a [[buffer(0)]],
  device const float* b [[buffer(1)]],
  device float* c [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]],
  uint3 groups [[threadgroups_per_grid]]
) {
  const uint t = lengths[0] - 1u;
  const uint t_1 = lengths[1] - 1u;
  const uint stride = groups.x << 5u;
  const uint t_2 = lengths[2];
  for (uint i = id.x; i < t_2; i += stride) {
    if (never()) { break; }
    c[i] = a[min(i, t)] + b[min(i, t_1)];
  }
}
