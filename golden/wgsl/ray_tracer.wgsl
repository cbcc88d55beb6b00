// WGSL written by gpuc: kernel main

struct Material {
  colour: vec3f,
  shine: f32,
}

struct Sphere {
  centre: vec3f,
  radius: f32,
  material: Material,
}

struct Scene {
  camera: mat4x4f,
  light: vec3f,
  count: u32,
  spheres: array<Sphere, 4>,
}

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read_write> colours: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> hits: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= 40u) | (id.y >= 30u) {
    return;
  }
  let across = (f32(id.x) - 20.0) * 0.0625;
  let up = (15.0 - f32(id.y)) * 0.0625;
  let t = scene.camera[0];
  let t_1 = scene.camera[1];
  let t_2 = scene.camera[2];
  let t_3 = scene.camera[3];
  let ray_origin = (t * 0.0 + t_1 * 0.0 + t_2 * 0.0 + t_3).xyz;
  let t_4 = t * across + t_1 * up - t_2 + t_3 * 0.0;
  let ray_direction = t_4.xyz;
  let t_5 = t_4.x * t_4.x + t_4.y * t_4.y + t_4.z * t_4.z;
  var best_found = false;
  var best_distance = 1e+30;
  var best_sphere = 0u;
  for (var i = 0u; i < scene.count; i++) {
    let to_centre = scene.spheres[i].centre - ray_origin;
    let t_6 = t_4.x * to_centre.x + t_4.y * to_centre.y + t_4.z * to_centre.z;
    let t_7 = to_centre.x * to_centre.x + to_centre.y * to_centre.y + to_centre.z * to_centre.z;
    let radius = scene.spheres[i].radius;
    let c = t_7 - radius * radius;
    let discriminant = t_6 * t_6 - t_5 * c;
    if (discriminant <= 0.0) | (t_6 <= 0.0) {
      continue;
    }
    let t_8 = (t_6 - sqrt(discriminant)) / t_5;
    let t_9 = t_8 < best_distance;
    best_found |= t_9;
    best_distance = select(best_distance, t_8, t_9);
    best_sphere = select(best_sphere, i, t_9);
  }
  let at = id.x + id.y * 40u;
  hits[at] = select(0u, best_sphere + 1u, best_found);
  var r: vec3f;
  if !best_found {
    let t_6 = clamp((ray_direction / sqrt(dot(ray_direction, ray_direction))).y * 0.5 + 0.5, 0.0, 1.0);
    r = 1.0 - t_6 + t_6 * vec3f(0.25, 0.5, 1.0);
  } else {
    let sphere = scene.spheres[best_sphere];
    let at_1 = ray_origin + ray_direction * best_distance;
    let normal = (at_1 - sphere.centre) / sphere.radius;
    let t_6 = scene.light - at_1;
    let to_light = t_6 / sqrt(dot(t_6, t_6));
    let diffuse = max(dot(normal, to_light), 0.0);
    let t_7 = ray_direction / sqrt(dot(ray_direction, ray_direction));
    let mirrored = t_7 - normal * (dot(normal, t_7) * 2.0);
    let highlight = pow(clamp(dot(to_light, mirrored), 0.0, 1.0), sphere.material.shine);
    r = sphere.material.colour * (diffuse + 0.125) + highlight * 0.5;
  }
  colours[at] = vec4f(r.x, r.y, r.z, 1.0);
}
