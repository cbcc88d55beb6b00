// y = A·x of a sparse matrix in compressed rows, one row to an invocation.
@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn spmv(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  if row < arrayLength(&y) {
    var sum = 0.0;
    for (var i = starts[row]; i < starts[row + 1]; i++) {
      sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
  }
}
