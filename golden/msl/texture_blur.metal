// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

inline bool greater_equal(uint x, uint y) {
  return x >= y;
}

inline bool2 greater_equal(uint2 x, uint2 y) {
  return bool2(greater_equal(x.x, y.x), greater_equal(x.y, y.y));
}

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

inline int absolute(int x) {
  return x < 0 ? int(uint(0) - uint(x)) : x;
}

inline void store_texel(texture2d<float, access::write> image, uint2 at, float4 texel) {
  if (at.x < image.get_width() && at.y < image.get_height()) {
    image.write(texel, at);
  }
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  texture2d<float> source [[texture(0)]],
  texture2d<float, access::write> blurred [[texture(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint2 t = uint2(source.get_width(), source.get_height()) - 1u;
  const uint2 size = uint2(source.get_width(), source.get_height());
  const uint2 xy = id.xy;
  if (any(greater_equal(xy, size))) {
    return;
  }
  const int2 last = int2(uint2(int2(size)) + uint2(4294967295u));
  const int2 t_1 = int2(xy);
  float4 sum = float4(0.0f);
  for (int dy = -1; dy <= 1; dy = int(uint(dy) + 1u)) {
    if (never()) { break; }
    const int t_2 = int(2u - uint(absolute(dy)));
    for (int dx = -1; dx <= 1; dx = int(uint(dx) + 1u)) {
      if (never()) { break; }
      const int2 at = min(max(int2(uint2(t_1) + uint2(int2(dx, dy))), int2(0)), last);
      const float weight = float(int((2u - uint(absolute(dx))) * uint(t_2)));
      sum += source.read(min(uint2(at), t)) * weight;
    }
  }
  store_texel(blurred, min(xy, uint2(65535u)), sum * 0.0625f);
}
