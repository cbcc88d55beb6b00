// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct Parameters {
  float a;
  uint count;
};
static_assert(sizeof(Parameters) == 8, "the size of Parameters");

struct fault_record_1 {
  atomic_uint site;
  uint index;
  uint length;
  char gap[4];
  packed_uint3 invocation;
  char gap_1[4];
};
static_assert(sizeof(fault_record_1) == 32, "the size of fault_record_1");

inline uint compare_exchange_device_uint(device atomic_uint* at, uint expected, uint value) {
  uint old = expected;
  while (!atomic_compare_exchange_weak_explicit(at, &old, value, memory_order_relaxed, memory_order_relaxed) && old == expected) {
  }
  return old;
}

inline void set_device_packed_uint3(device packed_uint3& to, uint3 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  constant Parameters& parameters [[buffer(0)]],
  device const float* x [[buffer(1)]],
  device float* y [[buffer(2)]],
  device fault_record_1& fault_record [[buffer(3)]],
  constant uint* lengths [[buffer(4)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[1];
  const uint t_1 = lengths[1];
  const uint t_2 = lengths[0];
  const uint i = id.x;
  if (i >= parameters.count) {
    return;
  }
  if (i >= t_2) {
    const uint t_3 = compare_exchange_device_uint(&fault_record.site, 0u, 1u);
    if (t_3 == 0u) {
      fault_record.index = i;
      fault_record.length = t_2;
      set_device_packed_uint3(fault_record.invocation, id);
    }
  }
  const bool t_3 = i < t_1;
  if (!t_3) {
    const uint t_4 = compare_exchange_device_uint(&fault_record.site, 0u, 2u);
    if (t_4 == 0u) {
      fault_record.index = i;
      fault_record.length = t_1;
      set_device_packed_uint3(fault_record.invocation, id);
    }
  }
  const float t_4 = parameters.a * x[min(i, lengths[0] - 1u)] + y[min(i, t - 1u)];
  if (!t_3) {
    const uint t_5 = compare_exchange_device_uint(&fault_record.site, 0u, 3u);
    if (t_5 == 0u) {
      fault_record.index = i;
      fault_record.length = t_1;
      set_device_packed_uint3(fault_record.invocation, id);
    }
  }
  if (i < t) {
    y[i] = t_4;
  }
}
