// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const float* data [[buffer(0)]],
  device float4* powers [[buffer(1)]],
  device float2* logarithms [[buffer(2)]],
  device float2* roots [[buffer(3)]],
  device float2* raised [[buffer(4)]],
  device float4* hyperbolic [[buffer(5)]],
  device float4* inverses [[buffer(6)]],
  constant uint* lengths [[buffer(7)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[0]) {
    return;
  }
  const float x = data[i];
  const float t = -x;
  const float2 t_1 = exp2(float2(x, t));
  if (i < lengths[1]) {
    powers[i] = float4(exp(x), t_1.x, t_1.y, exp(t));
  }
  if (i < lengths[2]) {
    logarithms[i] = float2(log(x), log2(x));
  }
  if (i < lengths[3]) {
    roots[i] = float2(sqrt(x), rsqrt(x));
  }
  if (i < lengths[4]) {
    raised[i] = float2(pow(x, 2.5f), pow(x, -0.5f));
  }
  const float t_2 = x * 0.5f;
  if (i < lengths[5]) {
    hyperbolic[i] = float4(sinh(t_2), cosh(t_2), tanh(x), tanh(t * 0.25f));
  }
  const float4 t_3 = float4(asinh(x), acosh(x + 1.0f), atanh(x * 0.0625f), atanh(t * 0.125f * 0.875f));
  if (i < lengths[6]) {
    inverses[i] = t_3;
  }
}
