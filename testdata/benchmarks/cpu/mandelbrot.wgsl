@group(0) @binding(0) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = groups.x * 16u;
  let cx = f32(id.x) / f32(n) * 3.0 - 2.0;
  let cy = f32(id.y) / f32(n) * 2.0 - 1.0;
  var x = 0.0;
  var y = 0.0;
  var k = 0u;
  while k < 256u && x * x + y * y <= 4.0 {
    let t = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = t;
    k++;
  }
  steps[id.y * n + id.x] = k;
}
