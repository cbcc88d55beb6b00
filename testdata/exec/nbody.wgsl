// One step of gravitation between all pairs, bodies staged through workgroup
// memory by tiles; inverseSqrt, vec4 loads and a swizzle on the way.
const size = 32u;

struct Settings {
  step: f32,
  softening: f32,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> bodies: array<vec4f>; // position, mass
@group(0) @binding(2) var<storage, read_write> velocities: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> moved: array<vec4f>;

var<workgroup> tile: array<vec4f, size>;

@compute @workgroup_size(size)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let count = arrayLength(&bodies);
  let me = bodies[min(id.x, count - 1u)];
  var pull = vec3f();
  for (var base = 0u; base < count; base += size) {
    let other = base + local.x;
    tile[local.x] = vec4f();
    if other < count {
      tile[local.x] = bodies[other];
    }
    workgroupBarrier();
    for (var i = 0u; i < size; i++) {
      let towards = tile[i].xyz - me.xyz;
      let inverse = inverseSqrt(dot(towards, towards) + settings.softening);
      pull += towards * (tile[i].w * inverse * inverse * inverse);
    }
    workgroupBarrier();
  }
  if id.x < count {
    let velocity = velocities[id.x].xyz + pull * settings.step;
    velocities[id.x] = vec4f(velocity, length(velocity));
    moved[id.x] = vec4f(me.xyz + velocity * settings.step, me.w);
  }
}
