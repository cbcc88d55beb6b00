// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct packed_float3_in_16 {
  packed_float3 value;
  char gap[4];
};

struct array_3_packed_float3_in_16 {
  packed_float3_in_16 at[3];
};

inline int int_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return int(min(max(float(x), -2147483648.0f), 2147483520.0f));
}

inline uint uint_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return uint(min(max(float(x), 0.0f), 4294967040.0f));
}

inline uint2 uint_of_float(float2 x) {
  return uint2(uint_of_float(x.x), uint_of_float(x.y));
}

inline void set_thread_packed_float3(thread packed_float3& to, float3 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

inline array_3_packed_float3_in_16 make_array_3_packed_float3_in_16(float3 x0, float3 x1, float3 x2) {
  array_3_packed_float3_in_16 made;
  set_thread_packed_float3(made.at[0].value, x0);
  set_thread_packed_float3(made.at[1].value, x1);
  set_thread_packed_float3(made.at[2].value, x2);
  return made;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void main_1(
  device const float4* points [[buffer(0)]],
  device float2* lit [[buffer(1)]],
  device float4* taps [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  depth2d_array<float> cascades [[texture(0)]],
  depth2d<float> map [[texture(1)]],
  depthcube<float> around [[texture(2)]],
  sampler smooth_less [[sampler(0)]],
  sampler nearest_greater [[sampler(1)]],
  sampler nearest [[sampler(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint t = lengths[2];
  if (id.x >= lengths[0]) {
    return;
  }
  const float4 p = points[id.x];
  const float2 xy = p.xy;
  const int t_1 = int_of_float(p.w);
  const float t_2 = cascades.sample_compare(smooth_less, xy, min(uint(min(max(t_1, 0), 65536)), cascades.get_array_size() - 1u), p.z, level(0.0f));
  const uint2 t_3 = uint2(map.get_width(), map.get_height());
  const float2 t_4 = float2(t_2, map.sample_compare(smooth_less, xy, p.z, level(0.0f), int2(1)));
  if (id.x < lengths[1]) {
    lit[id.x] = t_4;
  }
  const float2 size = float2(uint2(map.get_width(), map.get_height()));
  const float2 t_5 = xy * size;
  const float2 corner = rint(t_5) / size;
  const uint t_6 = id.x * 5u;
  if (t_6 < t) {
    taps[t_6] = map.gather_compare(nearest_greater, corner, p.z);
  }
  const uint t_7 = t_6 + 1u;
  const float4 t_8 = cascades.gather_compare(smooth_less, corner, min(min(uint_of_float(p.w), 65536u), cascades.get_array_size() - 1u), p.z);
  if (t_7 < t) {
    taps[t_7] = t_8;
  }
  const uint t_9 = t_6 + 2u;
  if (t_9 < t) {
    taps[t_9] = map.gather(nearest, corner);
  }
  const float2 centre = (floor(t_5) + 0.5f) / size;
  const uint t_10 = t_6 + 3u;
  const uint2 t_11 = uint_of_float(t_5);
  const float t_12 = cascades.sample(nearest, centre, min(uint(min(max(t_1, 0), 65536)), cascades.get_array_size() - 1u), level(0.0f));
  const float4 t_13 = float4(map.sample(nearest, centre, level(0.0f)), map.read(min(t_11, t_3 - 1u)), map.sample_compare(nearest_greater, centre, p.z, level(0.0f)), t_12);
  if (t_10 < t) {
    taps[t_10] = t_13;
  }
  const float side = ((id.x & 1u) == 0u ? 1.0f : -1.0f);
  const array_3_packed_float3_in_16 t_14 = make_array_3_packed_float3_in_16(float3(side, 0.2f, -0.1f), float3(0.3f, side, 0.2f), float3(-0.2f, 0.1f, side));
  array_3_packed_float3_in_16 spilled = t_14;
  const float3 t_15 = float3(spilled.at[min((id.x >> 1u) % 3u, 2u)].value);
  const uint t_16 = t_6 + 4u;
  const uint t_17 = min(1u, map.get_num_mip_levels() - 1u);
  const uint2 t_18 = min(t_11 >> uint2(1u), max(t_3 >> (uint2(t_17) & uint2(31u)), uint2(1u)) - 1u);
  const float4 t_19 = float4(around.sample_compare(nearest_greater, t_15, p.z, level(0.0f)), around.sample(nearest, t_15, level(0.0f)), map.sample(nearest, centre, level(1.0f)), map.read(t_18, t_17));
  if (t_16 < t) {
    taps[t_16] = t_19;
  }
}
