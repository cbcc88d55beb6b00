// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

inline void store_texel(texture2d<uint, access::write> image, uint2 at, uint4 texel) {
  if (at.x < image.get_width() && at.y < image.get_height()) {
    image.write(texel, at);
  }
}

inline void store_texel(texture2d_array<int, access::write> image, uint2 at, uint layer, int4 texel) {
  if (at.x < image.get_width() && at.y < image.get_height() && layer < image.get_array_size()) {
    image.write(texel, at, layer);
  }
}

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  texture2d<uint, access::write> middle [[texture(0)]],
  texture2d_array<int, access::write> layers [[texture(1)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint2 xy = id.xy;
  const int2 at = int2(uint2(int2(xy)) + uint2(4294967292u));
  store_texel(middle, min(uint2(at), uint2(65535u)), uint4(id.y * 1000u + id.x));
  store_texel(layers, min(xy, uint2(65535u)), min(uint(at.x), 65535u), int4(uint4(at.xyxy) + uint4(100u)));
  store_texel(layers, min(xy, uint2(65535u)), min(id.y + 2147483646u, 65535u), int4(-1));
  for (uint bit = 16u; bit < 32u; bit++) {
    const uint t = 1u << bit;
    store_texel(layers, min(xy, uint2(65535u)), min(id.y + t, 65535u), int4(-2));
    store_texel(layers, min(xy + uint2(0u, t), uint2(65535u)), 0u, int4(-3));
    const int t_1 = int(1u << bit);
    store_texel(middle, min(uint2(at) + uint2(int2(t_1, 4)), uint2(65535u)), uint4(4u));
    store_texel(middle, min(uint2(at) + uint2(int2(4, t_1)), uint2(65535u)), uint4(5u));
  }
}
