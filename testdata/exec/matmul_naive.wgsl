// C = A·B, one dot product per invocation, in the order of k. Compiled strictly
// every sum is bit exact; the shapes are odd and differ in all three dimensions.
struct Shape {
  rows: u32,
  columns: u32,
  inner: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let row = id.y;
  if row >= shape.rows || column >= shape.columns {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k < shape.inner; k++) {
    sum += a[row * shape.inner + k] * b[k * shape.columns + column];
  }
  c[row * shape.columns + column] = sum;
}
