// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= 61u) | (id.y >= 45u) {
    return;
  }
  let t = f32(id.x) * 0.046875 - 2.0;
  let t_1 = f32(id.y) * 0.046875 - 1.03125;
  var z = vec2f(0.0);
  var n = 0u;
  while n < 100u {
    let xx = z.x * z.x;
    let yy = z.y * z.y;
    if xx + yy > 4.0 {
      break;
    }
    z = vec2f(t + (xx - yy), t_1 + z.y * (z.x * 2.0));
    n++;
  }
  counts[id.x + id.y * 61u] = n;
}
