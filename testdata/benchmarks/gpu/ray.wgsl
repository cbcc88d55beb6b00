// A small ray tracer: sixteen spheres (centre, radius), a sun with shadows, and three
// reflections.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> spheres: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> image: array<f32>;

var<immediate> width: u32;

struct Hit { distance: f32, sphere: u32 }

fn nearest(origin: vec3f, direction: vec3f) -> Hit {
  var hit = Hit(1e30, 0);
  for (var i = 0u; i < 16; i++) {
    let s = spheres[i];
    let d = origin - s.xyz;
    let b = dot(d, direction);
    let square = b * b - dot(d, d) + s.w * s.w;
    if square > 0 {
      let distance = -b - sqrt(square);
      if distance > 1e-3 && distance < hit.distance {
        hit = Hit(distance, i);
      }
    }
  }
  return hit;
}

@compute @workgroup_size(16, 16)
fn ray(@builtin(global_invocation_id) id: vec3u) {
  let scale = 2 / f32(width);
  let sun = normalize(vec3f(0.5, 0.8, -0.4));
  var origin = vec3f(0, 0, -4);
  var direction = normalize(vec3f(f32(id.x) * scale - 1, f32(id.y) * scale - 1, 2));
  var light = 0.0;
  var weight = 1.0;
  for (var bounce = 0u; bounce < 4; bounce++) {
    let hit = nearest(origin, direction);
    if hit.distance >= 1e30 {
      light += weight * (0.5 + 0.5 * direction.y);
      break;
    }
    let place = origin + direction * hit.distance;
    let normal = normalize(place - spheres[hit.sphere].xyz);
    let facing = dot(normal, sun);
    if facing > 0 && nearest(place, sun).distance >= 1e30 {
      light += weight * 0.6 * facing;
    }
    light += weight * 0.1;
    weight *= 0.3;
    origin = place;
    direction -= normal * (2 * dot(direction, normal));
  }
  image[id.y * width + id.x] = light;
}
