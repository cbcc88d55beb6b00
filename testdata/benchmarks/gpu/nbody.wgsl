// Accelerations of bodies (position, mass) by all others, tiles of 256 in workgroup
// memory. Their number is a multiple of 256.
@group(0) @binding(0) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> accelerations: array<vec4f>;

var<workgroup> tile: array<vec4f, 256>;

@compute @workgroup_size(256)
fn nbody(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32) {
  let own = bodies[id.x].xyz;
  var sum = vec3f();
  for (var first = 0u; first < arrayLength(&bodies); first += 256) {
    tile[t] = bodies[first + t];
    workgroupBarrier();
    for (var k = 0u; k < 256; k++) {
      let other = tile[k];
      let d = other.xyz - own;
      let r = inverseSqrt(dot(d, d) + 1e-4);
      sum += d * (other.w * r * r * r);
    }
    workgroupBarrier();
  }
  accelerations[id.x] = vec4f(sum, 0);
}
