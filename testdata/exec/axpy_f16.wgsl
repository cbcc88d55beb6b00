// y = a·x + y in f16, scalars and vectors: storage of 16-bit elements at odd
// offsets and arithmetic rounded to 11 bits after every operation.
enable f16;

struct Parameters {
  a: f16,
  b: vec3h,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> x: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f16>;
@group(0) @binding(3) var<storage, read_write> triples: array<vec3h>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&y) {
    y[i] = parameters.a * x[i] + y[i];
  }
  if i < arrayLength(&triples) {
    triples[i] = parameters.a * triples[i] + parameters.b;
  }
}
