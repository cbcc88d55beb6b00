// Immediates with f16: scalars, vectors of odd alignment, matrices, beside words.
enable f16;

struct Parameters {
  first: f16,
  second: f16,
  vector: vec3h,
  after: f16,
  word: u32,
  matrix: mat3x2<f16>,
  last: vec4h,
}

@group(0) @binding(0) var<storage, read_write> results: array<f32>;

var<immediate> parameters: Parameters;
var<immediate> single: f16;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let whole = parameters;
  results[5 * i] = f32(parameters.first - parameters.second) + f32(parameters.vector[i % 3]);
  results[5 * i + 1] = f32(whole.after) * f32(whole.word);
  results[5 * i + 2] = f32(parameters.matrix[i % 3].y);
  results[5 * i + 3] = f32(whole.matrix[2].x + whole.last[i % 4]);
  results[5 * i + 4] = 0;
}

@compute @workgroup_size(4)
fn lone(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  results[5 * i + 4] = f32(single) * f32(i + 1);
}
