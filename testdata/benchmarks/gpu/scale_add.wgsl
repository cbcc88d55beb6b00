// y = s·x + y, one f32 to an invocation.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<immediate> s: f32;

@compute @workgroup_size(256)
fn scale_add(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&y) {
    y[i] = s * x[i] + y[i];
  }
}
