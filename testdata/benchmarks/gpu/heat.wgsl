// A step of the heat equation on n×n×n points by the seven-point stencil; what is on a
// face stays.
requires immediate_address_space;

struct Step { n: u32, rate: f32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> step: Step;

@compute @workgroup_size(32, 8)
fn heat(@builtin(global_invocation_id) id: vec3u) {
  let n = step.n;
  let i = (id.z * n + id.y) * n + id.x;
  if id.x == 0 || id.y == 0 || id.z == 0 || id.x >= n - 1 || id.y >= n - 1 || id.z >= n - 1 {
    if id.x < n && id.y < n && id.z < n {
      b[i] = a[i];
    }
    return;
  }
  let around = a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
  b[i] = a[i] + step.rate * (around - 6 * a[i]);
}
