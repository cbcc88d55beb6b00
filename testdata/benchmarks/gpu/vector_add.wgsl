// c = a + b, one f32 to an invocation.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(256)
fn vector_add(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&c) {
    c[i] = a[i] + b[i];
  }
}
