// A sparse matrix in compressed rows times a vector: loop bounds from memory,
// indirect reads. Whole numbers in f32, exact in every order.
@group(0) @binding(0) var<storage, read> row_starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  if row >= arrayLength(&y) {
    return;
  }
  var sum = y[row];
  for (var k = row_starts[row]; k < row_starts[row + 1u]; k++) {
    sum += weights[k] * x[columns[k]];
  }
  y[row] = sum;
}
