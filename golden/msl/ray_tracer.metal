// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct array_4_float4 {
  float4 at[4];
};

struct Material {
  packed_float3 colour;
  float shine;
};
static_assert(sizeof(Material) == 16, "the size of Material");

struct Sphere {
  packed_float3 centre;
  float radius;
  Material material;
};
static_assert(sizeof(Sphere) == 32, "the size of Sphere");

struct array_4_Sphere {
  Sphere at[4];
};

struct Scene {
  array_4_float4 camera;
  packed_float3 light;
  uint count;
  array_4_Sphere spheres;
};
static_assert(sizeof(Scene) == 208, "the size of Scene");

inline void copy_thread_constant_array_4_float4(thread array_4_float4& to, constant array_4_float4& from) {
  for (uint i = 0u; i < 4u; i++) {
    to.at[i] = from.at[i];
  }
}

inline array_4_float4 load_constant_array_4_float4(constant array_4_float4& from) {
  array_4_float4 to;
  copy_thread_constant_array_4_float4(to, from);
  return to;
}

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

inline void copy_thread_constant_Material(thread Material& to, constant Material& from) {
  to.colour[0] = from.colour[0];
  to.colour[1] = from.colour[1];
  to.colour[2] = from.colour[2];
  to.shine = from.shine;
}

inline void copy_thread_constant_Sphere(thread Sphere& to, constant Sphere& from) {
  to.centre[0] = from.centre[0];
  to.centre[1] = from.centre[1];
  to.centre[2] = from.centre[2];
  to.radius = from.radius;
  copy_thread_constant_Material(to.material, from.material);
}

inline Sphere load_constant_Sphere(constant Sphere& from) {
  Sphere to;
  copy_thread_constant_Sphere(to, from);
  return to;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_1(
  constant Scene& scene [[buffer(0)]],
  device float4* colours [[buffer(1)]],
  device uint* hits [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]]
) {
  if ((id.x >= 40u) || (id.y >= 30u)) {
    return;
  }
  const float across = (float(id.x) - 20.0f) * 0.0625f;
  const float up = (15.0f - float(id.y)) * 0.0625f;
  const array_4_float4 t = load_constant_array_4_float4(scene.camera);
  const float4 t_1 = t.at[0];
  const float4 t_2 = t.at[1];
  const float4 t_3 = t.at[2];
  const float4 t_4 = t.at[3];
  const float3 ray_origin = (t_1 * 0.0f + t_2 * 0.0f + t_3 * 0.0f + t_4).xyz;
  const float4 t_5 = t_1 * across + t_2 * up - t_3 + t_4 * 0.0f;
  const float3 ray_direction = t_5.xyz;
  const float t_6 = t_5.x * t_5.x + t_5.y * t_5.y + t_5.z * t_5.z;
  bool best_found = false;
  float best_distance = 1e+30f;
  uint best_sphere = 0u;
  for (uint i = 0u; i < scene.count; i++) {
    const float3 to_centre = float3(scene.spheres.at[min(i, 3u)].centre) - ray_origin;
    const float t_7 = t_5.x * to_centre.x + t_5.y * to_centre.y + t_5.z * to_centre.z;
    const float t_8 = to_centre.x * to_centre.x + to_centre.y * to_centre.y + to_centre.z * to_centre.z;
    const float radius = scene.spheres.at[min(i, 3u)].radius;
    const float c = t_8 - radius * radius;
    const float discriminant = t_7 * t_7 - t_6 * c;
    if ((discriminant <= 0.0f) || (t_7 <= 0.0f)) {
      continue;
    }
    const float t_9 = (t_7 - sqrt(discriminant)) / t_6;
    const bool t_10 = t_9 < best_distance;
    best_found = t_10 || best_found;
    best_distance = (t_10 ? t_9 : best_distance);
    best_sphere = (t_10 ? i : best_sphere);
  }
  const uint at = id.x + id.y * 40u;
  if (at < lengths[1]) {
    hits[at] = (best_found ? best_sphere + 1u : 0u);
  }
  float3 r;
  if (!best_found) {
    const float t_7 = (ray_direction / sqrt(dot(ray_direction, ray_direction))).y * 0.5f + 0.5f;
    const float t_8 = min(max(t_7, 0.0f), 1.0f);
    r = 1.0f - t_8 + t_8 * float3(0.25f, 0.5f, 1.0f);
  } else {
    const Sphere sphere = load_constant_Sphere(scene.spheres.at[min(best_sphere, 3u)]);
    const float3 at_1 = ray_origin + ray_direction * best_distance;
    const float3 normal = (at_1 - float3(sphere.centre)) / sphere.radius;
    const float3 t_7 = float3(scene.light) - at_1;
    const float3 to_light = t_7 / sqrt(dot(t_7, t_7));
    const float diffuse = max(dot(normal, to_light), 0.0f);
    const float3 t_8 = ray_direction / sqrt(dot(ray_direction, ray_direction));
    const float3 mirrored = t_8 - normal * (dot(normal, t_8) * 2.0f);
    const float highlight = pow(min(max(dot(to_light, mirrored), 0.0f), 1.0f), sphere.material.shine);
    r = float3(sphere.material.colour) * (diffuse + 0.125f) + highlight * 0.5f;
  }
  if (at < lengths[0]) {
    colours[at] = float4(r.x, r.y, r.z, 1.0f);
  }
}
