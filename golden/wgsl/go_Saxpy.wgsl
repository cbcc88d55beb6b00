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
  let parameters_A = parameters.A;
  let parameters_N = parameters.N;
  let t = i32(global.x);
  if t < i32(parameters_N) {
    y[t] += x[t] * parameters_A;
  }
}
