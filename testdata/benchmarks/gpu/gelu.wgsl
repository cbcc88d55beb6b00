// The Gaussian error linear unit by its hyperbolic tangent.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn gelu(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&y) {
    let v = x[i];
    y[i] = 0.5 * v * (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
  }
}
