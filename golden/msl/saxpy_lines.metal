// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -fno-fast-math (MTLMathMode.safe)
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif

struct Parameters {
  float a;
  uint count;
};
static_assert(sizeof(Parameters) == 8, "the size of Parameters");

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  constant Parameters& parameters [[buffer(0)]],
  device const float* x [[buffer(1)]],
  device float* y [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[1]; // saxpy.wgsl:18
  const uint i = id.x; // saxpy.wgsl:14
  if (i >= parameters.count) {
    return; // saxpy.wgsl:15
  }
  const float t_1 = parameters.a * x[min(i, lengths[0] - 1u)] + y[min(i, t - 1u)]; // saxpy.wgsl:18
  if (i < t) {
    y[i] = t_1;
  }
}
