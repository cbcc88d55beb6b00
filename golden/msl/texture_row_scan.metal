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

inline void store_texel(texture2d<uint, access::read_write> image, uint2 at, uint4 texel) {
  if (at.x < image.get_width() && at.y < image.get_height()) {
    image.write(texel, at);
    image.fence();
  }
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  texture2d<uint, access::read_write> rows [[texture(0)]],
  uint x [[thread_index_in_threadgroup]],
  uint3 group [[threadgroup_position_in_grid]]
) {
  const uint y = group.x;
  const uint2 t = uint2(rows.get_width(), rows.get_height()) - 1u;
  const uint2 t_1 = uint2(x, y);
  for (uint reach = 1u; reach < 64u; reach <<= 1u) {
    if (never()) { break; }
    const uint sum = rows.read(min(t_1, t)).x;
    uint sum_1 = sum;
    if (x >= reach) {
      sum_1 = sum + rows.read(min(uint2(x - reach, y), t)).x;
    }
    threadgroup_barrier(mem_flags::mem_texture);
    store_texel(rows, min(t_1, uint2(65535u)), uint4(sum_1));
    threadgroup_barrier(mem_flags::mem_texture);
  }
}
