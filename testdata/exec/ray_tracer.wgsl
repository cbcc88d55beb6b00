// Rays against spheres: structs with nested structs passed and returned by
// value, a camera matrix, a nearest-hit loop, and shading with dot, reflect and
// pow. Whether a ray hits is decided by strict arithmetic on unnormalised
// directions, so silhouettes are equal to the bit; colours have a bound.
struct Ray {
  origin: vec3f,
  direction: vec3f,
}

struct Material {
  colour: vec3f,
  shine: f32,
}

struct Sphere {
  centre: vec3f,
  radius: f32,
  material: Material,
}

struct Hit {
  found: bool,
  distance: f32,
  sphere: u32,
}

struct Scene {
  camera: mat4x4f,
  light: vec3f,
  count: u32,
  spheres: array<Sphere, 4>,
}

const width = 40u;
const height = 30u;

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read_write> colours: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> hits: array<u32>;

fn camera_ray(x: u32, y: u32) -> Ray {
  let across = (f32(x) - 20.0) * 0.0625;
  let up = (15.0 - f32(y)) * 0.0625;
  var ray: Ray;
  ray.origin = (scene.camera * vec4f(0.0, 0.0, 0.0, 1.0)).xyz;
  ray.direction = (scene.camera * vec4f(across, up, -1.0, 0.0)).xyz;
  return ray;
}

fn product(a: vec3f, b: vec3f) -> f32 {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn nearest(ray: Ray) -> Hit {
  var best = Hit(false, 1e30, 0u);
  let a = product(ray.direction, ray.direction);
  for (var i = 0u; i < scene.count; i++) {
    let to_centre = scene.spheres[i].centre - ray.origin;
    let b = product(to_centre, ray.direction);
    let c = product(to_centre, to_centre) - scene.spheres[i].radius * scene.spheres[i].radius;
    let discriminant = b * b - a * c;
    if discriminant <= 0.0 || b <= 0.0 {
      continue;
    }
    let t = (b - sqrt(discriminant)) / a;
    if t < best.distance {
      best = Hit(true, t, i);
    }
  }
  return best;
}

fn shade(ray: Ray, hit: Hit) -> vec3f {
  if !hit.found {
    return mix(vec3f(1.0), vec3f(0.25, 0.5, 1.0), saturate(normalize(ray.direction).y * 0.5 + 0.5));
  }
  let sphere = scene.spheres[hit.sphere];
  let at = ray.origin + ray.direction * hit.distance;
  let normal = (at - sphere.centre) / sphere.radius;
  let to_light = normalize(scene.light - at);
  let diffuse = max(dot(normal, to_light), 0.0);
  let mirrored = reflect(normalize(ray.direction), normal);
  let highlight = pow(clamp(dot(mirrored, to_light), 0.0, 1.0), sphere.material.shine);
  return sphere.material.colour * (0.125 + diffuse) + highlight * 0.5;
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= width || id.y >= height {
    return;
  }
  let ray = camera_ray(id.x, id.y);
  let hit = nearest(ray);
  let at = id.y * width + id.x;
  hits[at] = select(0u, hit.sphere + 1u, hit.found);
  colours[at] = vec4f(shade(ray, hit), 1.0);
}
