// What the examples of runtime/gpu embed: gpuc build -target cpu,spirv,ptx -strip scale.wgsl
@group(0) @binding(0) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&x) {
    x[id.x] *= 2.0;
  }
}
