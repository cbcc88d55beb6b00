// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_16_float {
  float at[16];
};

struct array_16_array_16_float {
  array_16_float at[16];
};

struct Shared {
  array_16_array_16_float tile_a;
  array_16_array_16_float tile_b;
};

struct Shape {
  uint rows;
  uint columns;
  uint inner;
};
static_assert(sizeof(Shape) == 12, "the size of Shape");

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(256)]]
kernel void main_1(
  constant Shape& shape [[buffer(0)]],
  device const float* a [[buffer(1)]],
  device const float* b [[buffer(2)]],
  device float* c [[buffer(3)]],
  constant uint* lengths [[buffer(4)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 group [[threadgroup_position_in_grid]],
  uint3 local [[thread_position_in_threadgroup]]
) {
  const uint t = lengths[0] - 1u;
  const uint t_1 = lengths[1] - 1u;
  const uint row = (group.y << 4u) + local.y;
  const uint column = (group.x << 4u) + local.x;
  const bool t_2 = row < shape.rows;
  const uint t_3 = row * shape.inner;
  const bool t_4 = column < shape.columns;
  float sum = 0.0f;
  for (uint base = 0u; base < shape.inner; base += 16u) {
    if (never()) { break; }
    const uint k = local.x + base;
    shared.tile_a.at[local.y].at[local.x] = 0.0f;
    if (t_2 && (k < shape.inner)) {
      shared.tile_a.at[local.y].at[local.x] = a[min(k + t_3, t)];
    }
    const uint l = local.y + base;
    shared.tile_b.at[local.y].at[local.x] = 0.0f;
    if ((l < shape.inner) && t_4) {
      shared.tile_b.at[local.y].at[local.x] = b[min(column + l * shape.columns, t_1)];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0u; i < 16u; i++) {
      sum += shared.tile_a.at[local.y].at[i] * shared.tile_b.at[i].at[local.x];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t_2 && t_4) {
    const uint t_5 = column + row * shape.columns;
    if (t_5 < lengths[2]) {
      c[t_5] = sum;
    }
  }
}
