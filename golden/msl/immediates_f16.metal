// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_3_half2 {
  half2 at[3];
};

struct Parameters {
  half first;
  half second;
  char gap[4];
  packed_half3 vector;
  half after;
  uint word;
  array_3_half2 matrix;
  half4 last;
};
static_assert(sizeof(Parameters) == 40, "the size of Parameters");

[[max_total_threads_per_threadgroup(4)]]
kernel void main_1(
  device float* results [[buffer(0)]],
  constant Parameters& parameters [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[0];
  const uint i = id.x;
  const uint t_1 = i * 5u;
  const uint t_2 = i % 3u;
  const float t_3 = float(parameters.first - parameters.second) + float(half3(parameters.vector)[t_2]);
  if (t_1 < t) {
    results[t_1] = t_3;
  }
  const uint t_4 = t_1 + 1u;
  if (t_4 < t) {
    results[t_4] = float(parameters.after) * float(parameters.word);
  }
  const uint t_5 = t_1 + 2u;
  if (t_5 < t) {
    results[t_5] = float(parameters.matrix.at[t_2].y);
  }
  const uint t_6 = t_1 + 3u;
  if (t_6 < t) {
    results[t_6] = float(parameters.matrix.at[2].x + parameters.last[i & 3u]);
  }
  const uint t_7 = t_1 + 4u;
  if (t_7 < t) {
    results[t_7] = 0.0f;
  }
}
