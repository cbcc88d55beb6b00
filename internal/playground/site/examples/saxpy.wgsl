// y = a·x + y, the kernel that everybody begins with.
struct Parameters {
  a: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&y) {
    y[id.x] += parameters.a * x[id.x];
  }
}
