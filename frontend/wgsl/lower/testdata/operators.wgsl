@group(0) @binding(0) var<storage, read_write> f: array<f32>;
@group(0) @binding(1) var<storage, read_write> n: array<i32>;
@group(0) @binding(2) var<uniform> limit: vec2u;

fn positive(x: f32) -> bool {
  return x > 0.0;
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = f[0];
  let i = n[0];
  f[1] = x + 1.0 - x * 2.0 / x % 3.0;
  n[1] = (-i + ~i * (i << 2u)) ^ ((i >> limit.x) & (i | (i % 3)));
  let v = vec3f(x, 2.0, x) * x + 1.0;
  let w = 2.0 / v - x;
  f[2] = (v * w).y;
  f[i] += x;
  let inside = (id.x < limit.x && id.y < limit.y) || !(id.z == 0u);
  let lazy = (inside && f[id.x] > 1.0) || positive(x);
  let mask = ((v < w) & (v != w)) | vec3(inside);
  if lazy & any(mask) {
    n[2] <<= 1u;
  }
}
