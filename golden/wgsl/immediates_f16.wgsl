// WGSL written by gpuc: kernel main

enable f16;
requires immediate_address_space;

struct Parameters {
  first: f16,
  second: f16,
  vector: vec3h,
  after: f16,
  word: u32,
  matrix: mat3x2h,
  last: vec4h,
}

@group(0) @binding(0) var<storage, read_write> results: array<f32>;
var<immediate> parameters: Parameters;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let t = i * 5u;
  let t_1 = i % 3u;
  results[t] = f32(parameters.first - parameters.second) + f32(parameters.vector[t_1]);
  results[t + 1u] = f32(parameters.after) * f32(parameters.word);
  results[t + 2u] = f32(parameters.matrix[t_1].y);
  results[t + 3u] = f32(parameters.matrix[2].x + parameters.last[i & 3u]);
  results[t + 4u] = 0.0;
}
