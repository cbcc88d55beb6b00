// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct Shared {
  atomic_uint sum;
  atomic_uint least;
  atomic_uint most;
  atomic_uint odd;
  atomic_uint mistakes;
};

struct Result {
  uint sum;
  uint least;
  uint most;
  uint odd;
  uint mistakes;
};
static_assert(sizeof(Result) == 20, "the size of Result");

inline Result make_Result(uint x0, uint x1, uint x2, uint x3, uint x4) {
  Result made;
  made.sum = x0;
  made.least = x1;
  made.most = x2;
  made.odd = x3;
  made.mistakes = x4;
  return made;
}

inline void copy_device_thread_Result(device Result& to, thread const Result& from) {
  to.sum = from.sum;
  to.least = from.least;
  to.most = from.most;
  to.odd = from.odd;
  to.mistakes = from.mistakes;
}

[[max_total_threads_per_threadgroup(96)]]
kernel void main_1(
  device const uint* data [[buffer(0)]],
  device Result* results [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint local [[thread_index_in_threadgroup]],
  uint3 id [[thread_position_in_grid]],
  uint3 group [[threadgroup_position_in_grid]],
  uint lane [[thread_index_in_simdgroup]]
) {
  if (local < 1u) {
    atomic_store_explicit(&shared.sum, 0u, memory_order_relaxed);
    atomic_store_explicit(&shared.most, 0u, memory_order_relaxed);
    atomic_store_explicit(&shared.odd, 0u, memory_order_relaxed);
    atomic_store_explicit(&shared.mistakes, 0u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool t = local == 0u;
  if (t) {
    atomic_store_explicit(&shared.least, 4294967295u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t_1 = lengths[0];
  const uint value = (id.x < t_1 ? data[min(id.x, t_1 - 1u)] : 0u);
  const uint subgroup_sum = simd_sum(value);
  const uint subgroup_least = simd_min(value);
  const uint subgroup_most = simd_max(value);
  const uint4 t_2 = uint4(as_type<uint2>(ulong(simd_vote::vote_t(simd_ballot((value & 1u) == 1u)))), 0u, 0u);
  const uint4 ballot = popcount(t_2);
  const uint odd_here = ballot.x + ballot.y + ballot.z + ballot.w;
  const uint up_to = simd_prefix_inclusive_sum(value);
  const uint before = simd_prefix_exclusive_sum(value);
  const uint first = simd_broadcast_first(subgroup_sum);
  const bool all_below = simd_all(lane < 32u);
  const bool any_beyond = simd_any(value > subgroup_most);
  const bool t_3 = simd_is_first();
  if (t_3) {
    atomic_fetch_add_explicit(&shared.sum, subgroup_sum, memory_order_relaxed);
    atomic_fetch_min_explicit(&shared.least, subgroup_least, memory_order_relaxed);
    atomic_fetch_max_explicit(&shared.most, subgroup_most, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared.odd, odd_here, memory_order_relaxed);
  }
  const bool t_4 = any_beyond || (((value != up_to - before) || (subgroup_sum != first)) || !all_below);
  if (t_4) {
    atomic_fetch_add_explicit(&shared.mistakes, 1u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t) {
    const uint t_5 = atomic_load_explicit(&shared.sum, memory_order_relaxed);
    const uint t_6 = atomic_load_explicit(&shared.least, memory_order_relaxed);
    const uint t_7 = atomic_load_explicit(&shared.most, memory_order_relaxed);
    const uint t_8 = atomic_load_explicit(&shared.odd, memory_order_relaxed);
    const uint t_9 = atomic_load_explicit(&shared.mistakes, memory_order_relaxed);
    if (group.x < lengths[1]) {
      copy_device_thread_Result(results[group.x], make_Result(t_5, t_6, t_7, t_8, t_9));
    }
  }
}
