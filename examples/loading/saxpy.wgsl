// y = a·x + y, the kernel of the programs beside it.
//
//   $ gpuc build -target spirv,ptx,cpu -lang c saxpy.wgsl

struct Parameters {
  a: f32,
  count: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < parameters.count {
    y[id.x] += parameters.a * x[id.x];
  }
}
