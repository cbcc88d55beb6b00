// Rotation of points by quaternions with cross and dot, and the same through a
// rotation matrix built column by column; normalize makes the quaternions unit.
@group(0) @binding(0) var<storage, read> rotations: array<vec4f>;
@group(0) @binding(1) var<storage, read> points: array<vec3f>;
@group(0) @binding(2) var<storage, read_write> by_quaternion: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> by_matrix: array<vec4f>;

fn rotate(q: vec4f, v: vec3f) -> vec3f {
  let t = 2.0 * cross(q.xyz, v);
  return v + q.w * t + cross(q.xyz, t);
}

fn matrix_of(q: vec4f) -> mat3x3f {
  let d = q.xyz * q.xyz;
  let w = q.w * q.xyz;
  let p = q.xyz * q.yzx; // xy, yz, zx
  return mat3x3f(
    vec3f(1.0 - 2.0 * (d.y + d.z), 2.0 * (p.x + w.z), 2.0 * (p.z - w.y)),
    vec3f(2.0 * (p.x - w.z), 1.0 - 2.0 * (d.x + d.z), 2.0 * (p.y + w.x)),
    vec3f(2.0 * (p.z + w.y), 2.0 * (p.y - w.x), 1.0 - 2.0 * (d.x + d.y)));
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&points) {
    return;
  }
  let q = normalize(rotations[i]);
  let v = points[i];
  by_quaternion[i] = vec4f(rotate(q, v), length(q));
  by_matrix[i] = vec4f(matrix_of(q) * v, distance(v, vec3f()));
}
