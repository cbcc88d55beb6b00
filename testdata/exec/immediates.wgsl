// Immediates: a structure read by members, whole, by dynamic index and through
// pointers that functions hand on; a variable of its own for each entry point.
requires immediate_address_space;

struct Inner {
  matrix: mat2x2f,
  bias: i32,
}

struct Parameters {
  scale: f32,
  @align(16) offset: vec3i,
  count: u32,
  inner: Inner,
  steps: vec2u,
}

@group(0) @binding(0) var<storage, read_write> results: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<immediate> parameters: Parameters;
var<immediate> weights: vec3u;

fn element(inner: ptr<immediate, Inner>, i: u32) -> f32 {
  return (*inner).matrix[i & 1][(i >> 1) & 1] + f32((*inner).bias);
}

fn scaled(p: ptr<immediate, Parameters>, i: u32) -> f32 {
  let inner = &(*p).inner;
  return element(inner, i) * (*p).scale;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= parameters.count {
    return;
  }
  let whole = parameters;
  let column = parameters.inner.matrix[id.x % 2];
  results[id.x] += vec4f(
    scaled(&parameters, id.x),
    f32(parameters.offset[id.x % 3]),
    column.y * whole.scale,
    f32(whole.steps.x * id.x + whole.steps.y));
  workgroup_total(id.x, whole.inner);
}

fn workgroup_total(i: u32, inner: Inner) {
  sums[i] += u32(inner.bias + 100);
}

@compute @workgroup_size(8)
fn weigh(@builtin(global_invocation_id) id: vec3u) {
  sums[id.x] = sums[id.x] * weights[id.x % 3] + weights.z;
}
