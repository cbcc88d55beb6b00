// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_4_uint {
  uint at[4];
};

struct Inner {
  array_4_uint values;
  uint sum;
};
static_assert(sizeof(Inner) == 20, "the size of Inner");

struct array_8_Inner {
  Inner at[8];
};

struct Shared {
  array_8_Inner shared_cells;
};

struct array_2_Inner {
  Inner at[2];
};

struct Outer {
  uint head;
  array_2_Inner inner;
};
static_assert(sizeof(Outer) == 44, "the size of Outer");

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

inline void copy_threadgroup_thread_array_4_uint(threadgroup array_4_uint& to, thread const array_4_uint& from) {
  for (uint i = 0u; i < 4u; i++) {
    to.at[i] = from.at[i];
  }
}

inline void copy_threadgroup_thread_Inner(threadgroup Inner& to, thread const Inner& from) {
  copy_threadgroup_thread_array_4_uint(to.values, from.values);
  to.sum = from.sum;
}

inline Outer make_Outer(uint x0, array_2_Inner x1) {
  Outer made;
  made.head = x0;
  made.inner = x1;
  return made;
}

inline void copy_device_thread_array_4_uint(device array_4_uint& to, thread const array_4_uint& from) {
  for (uint i = 0u; i < 4u; i++) {
    to.at[i] = from.at[i];
  }
}

inline void copy_device_thread_Inner(device Inner& to, thread const Inner& from) {
  copy_device_thread_array_4_uint(to.values, from.values);
  to.sum = from.sum;
}

inline void copy_device_thread_array_2_Inner(device array_2_Inner& to, thread const array_2_Inner& from) {
  for (uint i = 0u; i < 2u; i++) {
    copy_device_thread_Inner(to.at[i], from.at[i]);
  }
}

inline void copy_device_thread_Outer(device Outer& to, thread const Outer& from) {
  to.head = from.head;
  copy_device_thread_array_2_Inner(to.inner, from.inner);
}

[[max_total_threads_per_threadgroup(8)]]
kernel void main_1(
  device Outer* cells [[buffer(0)]],
  device uint4* results [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 id [[thread_position_in_grid]],
  uint local [[thread_index_in_threadgroup]]
) {
  array_2_Inner outer_inner = array_2_Inner{};
  const uint t = id.x & 1u;
  const uint t_1 = id.x << 1u;
  uint counter = 0u;
  for (uint i = 0u; i < 4u; i++) {
    outer_inner.at[t].values.at[i] = t_1 + i;
    outer_inner.at[t].values.at[i] += i;
    outer_inner.at[t].values.at[i] += i * 10u;
    outer_inner.at[t].sum += outer_inner.at[t].values.at[i];
    counter++;
  }
  for (uint i = 0u; i < 4u; i++) {
    outer_inner.at[1].values.at[i] = i + 50u;
    outer_inner.at[1].values.at[i] += i;
    outer_inner.at[1].values.at[i] += i * 10u;
    outer_inner.at[1].sum += outer_inner.at[1].values.at[i];
    counter++;
  }
  const uint spare = id.x + 7u;
  const uint t_2 = outer_inner.at[0].values.at[0];
  outer_inner.at[0].values.at[0] = spare;
  outer_inner.at[1].values.at[3] = t_2;
  copy_threadgroup_thread_Inner(shared.shared_cells.at[local], outer_inner.at[1]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t_3 = (local + 1u) & 7u;
  if (id.x < lengths[0]) {
    copy_device_thread_Outer(cells[id.x], make_Outer(id.x, outer_inner));
    const uint t_4 = id.x & 3u;
    cells[id.x].inner.at[t].values.at[t_4] += 100u;
    cells[id.x].inner.at[t].sum += 100u;
    const uint4 t_5 = uint4(counter, shared.shared_cells.at[t_3].sum, shared.shared_cells.at[t_3].values.at[3], outer_inner.at[0].values.at[0]);
    if (id.x < lengths[1]) {
      results[id.x] = t_5;
    }
  }
}
