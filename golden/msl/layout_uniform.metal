// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct Light {
  packed_float3 position;
  float power;
  packed_float3 colour;
  uint kind;
};
static_assert(sizeof(Light) == 32, "the size of Light");

struct array_3_Light {
  Light at[3];
};

struct array_4_float4 {
  float4 at[4];
};

struct packed_float3_in_16 {
  packed_float3 value;
  char gap[4];
};

struct array_3_packed_float3_in_16 {
  packed_float3_in_16 at[3];
};

struct array_4_float2 {
  float2 at[4];
};

struct array_2_uint4 {
  uint4 at[2];
};

struct array_3_array_2_uint4 {
  array_2_uint4 at[3];
};

struct Block {
  uint2 first;
  char gap[8];
  array_3_Light lights;
  array_4_float4 rows;
  array_3_packed_float3_in_16 turn;
  array_4_float2 shear;
  array_3_array_2_uint4 table;
  int last;
  char gap_1[12];
};
static_assert(sizeof(Block) == 368, "the size of Block");

struct array_8_float {
  float at[8];
};

inline void copy_thread_constant_array_3_packed_float3_in_16(thread array_3_packed_float3_in_16& to, constant array_3_packed_float3_in_16& from) {
  for (uint i = 0u; i < 3u; i++) {
    to.at[i].value[0] = from.at[i].value[0];
    to.at[i].value[1] = from.at[i].value[1];
    to.at[i].value[2] = from.at[i].value[2];
  }
}

inline array_3_packed_float3_in_16 load_constant_array_3_packed_float3_in_16(constant array_3_packed_float3_in_16& from) {
  array_3_packed_float3_in_16 to;
  copy_thread_constant_array_3_packed_float3_in_16(to, from);
  return to;
}

inline void copy_thread_constant_array_4_float2(thread array_4_float2& to, constant array_4_float2& from) {
  for (uint i = 0u; i < 4u; i++) {
    to.at[i] = from.at[i];
  }
}

inline array_4_float2 load_constant_array_4_float2(constant array_4_float2& from) {
  array_4_float2 to;
  copy_thread_constant_array_4_float2(to, from);
  return to;
}

inline array_8_float make_array_8_float(float x0, float x1, float x2, float x3, float x4, float x5, float x6, float x7) {
  array_8_float made;
  made.at[0] = x0;
  made.at[1] = x1;
  made.at[2] = x2;
  made.at[3] = x3;
  made.at[4] = x4;
  made.at[5] = x5;
  made.at[6] = x6;
  made.at[7] = x7;
  return made;
}

inline void copy_device_thread_array_8_float(device array_8_float& to, thread const array_8_float& from) {
  for (uint i = 0u; i < 8u; i++) {
    to.at[i] = from.at[i];
  }
}

[[max_total_threads_per_threadgroup(4)]]
kernel void main_1(
  constant Block& block [[buffer(0)]],
  constant packed_float3& offset [[buffer(1)]],
  device array_8_float* floats [[buffer(2)]],
  device int4* integers [[buffer(3)]],
  constant uint* lengths [[buffer(4)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[1]) {
    return;
  }
  const uint t = i % 3u;
  const float3 t_1 = float3(block.lights.at[t].position);
  const float f_1 = block.lights.at[t].power;
  const float f_0 = t_1[t];
  const float f_2 = block.lights.at[2u - t].colour[1];
  const uint t_2 = i & 3u;
  const float f_3 = block.rows.at[t_2][(i >> 1u) & 3u];
  const float f_4 = block.turn.at[t].value[2];
  const array_3_packed_float3_in_16 t_3 = load_constant_array_3_packed_float3_in_16(block.turn);
  const float3 t_4 = float3(t_3.at[0].value) * t_1.x + float3(t_3.at[1].value) * t_1.y + float3(t_3.at[2].value) * t_1.z;
  const float f_5 = t_4.x;
  const array_4_float2 t_5 = load_constant_array_4_float2(block.shear);
  const float4 t_6 = block.rows.at[t_2];
  const float2 t_7 = t_5.at[0] * t_6.x + t_5.at[1] * t_6.y + t_5.at[2] * t_6.z + t_5.at[3] * t_6.w;
  const float f_6 = t_7.y;
  const float f_7 = offset[t];
  if (i < lengths[0]) {
    copy_device_thread_array_8_float(floats[i], make_array_8_float(f_0, f_1, f_2, f_3, f_4, f_5, f_6, f_7));
  }
  const uint t_8 = i & 1u;
  const int4 t_9 = int4(int(block.first[t_8]), int(block.lights.at[t].kind), int(block.table.at[t].at[t_8][t_2]), block.last);
  integers[i] = t_9;
}
