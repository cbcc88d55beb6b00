// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct Task {
  uint start;
  char gap[4];
  uint2 step;
};
static_assert(sizeof(Task) == 16, "the size of Task");

struct array_32_uint {
  uint at[32];
};

struct Shared {
  Task task;
  uint running;
  atomic_uint found;
  array_32_uint scratch;
};

inline void copy_threadgroup_thread_Task(threadgroup Task& to, thread const Task& from) {
  to.start = from.start;
  to.step = from.step;
}

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

inline Task make_Task(uint x0, uint2 x1) {
  Task made;
  made.start = x0;
  made.step = x1;
  return made;
}

inline void copy_thread_threadgroup_Task(thread Task& to, threadgroup const Task& from) {
  to.start = from.start;
  to.step = from.step;
}

inline Task load_threadgroup_Task(threadgroup const Task& from) {
  Task to;
  copy_thread_threadgroup_Task(to, from);
  return to;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const uint* data [[buffer(0)]],
  device uint* results [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  threadgroup Shared& shared [[threadgroup(0)]],
  uint local [[thread_index_in_threadgroup]],
  uint3 group [[threadgroup_position_in_grid]]
) {
  if (local < 1u) {
    copy_threadgroup_thread_Task(shared.task, Task{});
    shared.running = uint(false);
    atomic_store_explicit(&shared.found, 0u, memory_order_relaxed);
  }
  shared.scratch.at[local] = 0u;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint t = group.x * 7u;
  const uint t_1 = lengths[0];
  const uint t_2 = group.x + 3u;
  uint sum = 0u;
  uint round_1 = 0u;
  while (true) {
    if (never()) { break; }
    if (local == (round_1 & 31u)) {
      copy_threadgroup_thread_Task(shared.task, make_Task(data[(t + round_1) % t_1], uint2(round_1, local)));
      shared.running = uint(round_1 < t_2);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const bool t_3 = bool(shared.running);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (!t_3) {
      break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const Task t_4 = load_threadgroup_Task(shared.task);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    shared.scratch.at[local] = t_4.start ^ (local * t_4.step.x);
    if (shared.scratch.at[local] % 3u == 0u) {
      atomic_fetch_add_explicit(&shared.found, 1u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint sum_1 = sum * 5u + shared.scratch.at[31u - local] + t_4.step.y;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint so_far = atomic_load_explicit(&shared.found, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum = sum_1 ^ so_far;
    round_1++;
  }
  const uint t_3 = local + (group.x << 5u);
  if (t_3 < lengths[1]) {
    results[t_3] = sum;
  }
}
