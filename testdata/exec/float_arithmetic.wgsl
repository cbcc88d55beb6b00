// Float arithmetic with a bound: division and remainder, fma, mix with scalar
// and vector weights, smoothstep, degrees and radians, vectors with scalars.
@group(0) @binding(0) var<storage, read> data: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> quotients: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> blends: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> angles: array<vec2f>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let v = data[i];
  quotients[i] = vec4f(v.x / v.y, 1.0 / v.z, vec2f(v.w, v.x) / v.z);
  let weight = v.w * 0.125;
  var b = vec4f(
    fma(v.x, v.y, v.z),
    mix(v.x, v.y, weight),
    smoothstep(0.25, 6.0, v.y),
    (v.x * 8.0) % 2.75,
  );
  b += mix(v, v.yzwx, vec4f(0.25)) * 2.0;
  b = 3.0 - b;
  blends[i] = b;
  angles[i] = vec2f(degrees(v.x), radians(v.y * 90.0));
}
