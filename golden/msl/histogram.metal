// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_48_atomic_uint {
  atomic_uint at[48];
};

struct Shared {
  array_48_atomic_uint local_counts;
};

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  device const uint* samples [[buffer(0)]],
  device array_48_atomic_uint& counts [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint3 id [[thread_position_in_grid]],
  uint local [[thread_index_in_threadgroup]],
  uint3 groups [[threadgroups_per_grid]]
) {
  for (uint i = local; i < 48u; i += 64u) {
    if (never()) { break; }
    atomic_store_explicit(&shared.local_counts.at[i], 0u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t = lengths[0];
  const uint t_1 = groups.x << 6u;
  for (uint i = id.x; i < t; i += t_1) {
    if (never()) { break; }
    atomic_fetch_add_explicit(&shared.local_counts.at[samples[i] % 48u], 1u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = local; i < 48u; i += 64u) {
    if (never()) { break; }
    const uint n = atomic_load_explicit(&shared.local_counts.at[i], memory_order_relaxed);
    if (n != 0u) {
      atomic_fetch_add_explicit(&counts.at[i], n, memory_order_relaxed);
    }
  }
}
