// The least, the greatest and the median of three halves from a uniform buffer, which lie in either
// half of a word, as scalars and as parts of vectors.
enable f16;

struct Limits {
  a: f16,
  b: f16,
  c: f16,
  d: f16,
  rest: vec4h,
}

@group(0) @binding(0) var<uniform> limits: Limits;
@group(0) @binding(1) var<storage, read> data: array<f16>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4h>;

fn median(x: f16, y: f16, z: f16) -> f16 {
  return max(min(x, y), min(max(x, y), z));
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&data) {
    return;
  }
  let x = data[id.x];
  let least = min(limits.b, min(limits.c, x));
  let greatest = max(max(x, limits.rest.y), -limits.d);
  let both = min(min(vec2h(x), limits.rest.zw), vec2h(limits.d, limits.a));
  results[id.x] = vec4h(least, greatest, median(x, limits.b, limits.rest.w), both.x - both.y);
}
