// b = a, one f32 to an invocation.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&b) {
    b[i] = a[i];
  }
}
