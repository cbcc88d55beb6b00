// The geometric builtins: length, distance, normalize, dot, cross, reflect,
// refract (total reflection gives zero) and faceForward.
struct Ray {
  direction: vec3f,
  ratio: f32,
}

@group(0) @binding(0) var<storage, read> rays: array<Ray>;
@group(0) @binding(1) var<storage, read> normals: array<vec3f>;
@group(0) @binding(2) var<storage, read_write> measures: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> bounced: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> bent: array<vec4f>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&rays) {
    return;
  }
  let ray = rays[i];
  let n = normalize(normals[i]);
  let d = normalize(ray.direction);
  measures[i] = vec4f(
    length(ray.direction.xy), distance(ray.direction, normals[i]), dot(d, n), length(cross(d, n)));
  bounced[i] = vec4f(reflect(d, n), abs(length(-ray.ratio)));
  let facing = faceForward(n, d, n);
  bent[i] = vec4f(refract(d, facing, ray.ratio), dot(facing, d));
}
