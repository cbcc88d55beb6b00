// c = a + b with four elements in each invocation, strided by the whole grid:
// num_workgroups and arrayLength decide the trip count of the loop. A single
// addition is correctly rounded everywhere, so the result is bit exact.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let stride = groups.x * 32u;
  for (var i = id.x; i < arrayLength(&c); i += stride) {
    c[i] = a[i] + b[i];
  }
}
