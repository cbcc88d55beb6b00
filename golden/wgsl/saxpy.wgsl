// WGSL written by gpuc: kernel main

struct Parameters {
  a: f32,
  count: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= parameters.count {
    return;
  }
  y[i] += parameters.a * x[i];
}
