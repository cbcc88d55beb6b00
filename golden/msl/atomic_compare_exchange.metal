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

inline uint compare_exchange_device_uint(device atomic_uint* at, uint expected, uint value) {
  uint old = expected;
  while (!atomic_compare_exchange_weak_explicit(at, &old, value, memory_order_relaxed, memory_order_relaxed) && old == expected) {
  }
  return old;
}

inline int compare_exchange_device_int(device atomic_int* at, int expected, int value) {
  int old = expected;
  while (!atomic_compare_exchange_weak_explicit(at, &old, value, memory_order_relaxed, memory_order_relaxed) && old == expected) {
  }
  return old;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const float* data [[buffer(0)]],
  device atomic_uint& greatest [[buffer(1)]],
  device atomic_uint& product [[buffer(2)]],
  device atomic_int& head [[buffer(3)]],
  device int* links [[buffer(4)]],
  constant uint* lengths [[buffer(5)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[1];
  if (id.x >= lengths[0]) {
    return;
  }
  const float x = data[id.x];
  const uint old = atomic_load_explicit(&greatest, memory_order_relaxed);
  const uint t_1 = as_type<uint>(x);
  uint old_1 = old;
  while (as_type<float>(old_1) < x) {
    if (never()) { break; }
    const uint t_2 = compare_exchange_device_uint(&greatest, old_1, t_1);
    if (t_2 == old_1) {
      break;
    }
    old_1 = t_2;
  }
  const uint factor = id.x % 65520u + 1u;
  const uint before = atomic_load_explicit(&product, memory_order_relaxed);
  uint before_1 = before;
  while (true) {
    if (never()) { break; }
    const uint t_2 = compare_exchange_device_uint(&product, before_1, factor * before_1 % 65521u);
    if (t_2 == before_1) {
      break;
    }
    before_1 = t_2;
  }
  const int t_2 = int(id.x);
  while (true) {
    if (never()) { break; }
    const int next = atomic_load_explicit(&head, memory_order_relaxed);
    if (id.x < t) {
      links[id.x] = next;
    }
    const int t_3 = compare_exchange_device_int(&head, next, t_2);
    if (next == t_3) {
      break;
    }
  }
}
