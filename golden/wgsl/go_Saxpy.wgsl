// WGSL written by gpuc: kernel Saxpy

requires immediate_address_space;

struct SaxpyParameters {
  A: f32,
  N: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> parameters: SaxpyParameters;

@compute @workgroup_size(64)
fn Saxpy(@builtin(global_invocation_id) global: vec3u) {
  let t = i32(global.x);
  if t < i32(parameters.N) {
    y[t] += parameters.A * x[t];
  }
}
