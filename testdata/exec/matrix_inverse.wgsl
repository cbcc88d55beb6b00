// The inverse of 4×4 matrices through cofactors: matrices in storage, columns
// taken by constant and dynamic index, determinant and transpose, and a product
// that must be close to the identity.
@group(0) @binding(0) var<storage, read> matrices: array<mat4x4f>;
@group(0) @binding(1) var<storage, read_write> inverses: array<mat4x4f>;
@group(0) @binding(2) var<storage, read_write> products: array<mat4x4f>;
@group(0) @binding(3) var<storage, read_write> determinants: array<f32>;

fn minor(m: mat4x4f, skip_column: u32, skip_row: u32) -> mat3x3f {
  var r: mat3x3f;
  var column = 0u;
  for (var i = 0u; i < 4u; i++) {
    if i == skip_column {
      continue;
    }
    var row = 0u;
    for (var j = 0u; j < 4u; j++) {
      if j != skip_row {
        r[column][row] = m[i][j];
        row++;
      }
    }
    column++;
  }
  return r;
}

fn inverse(m: mat4x4f) -> mat4x4f {
  var cofactors: mat4x4f;
  for (var i = 0u; i < 4u; i++) {
    for (var j = 0u; j < 4u; j++) {
      let sign = select(1.0, -1.0, ((i + j) & 1u) == 1u);
      cofactors[i][j] = sign * determinant(minor(m, i, j));
    }
  }
  let d = dot(m[0], cofactors[0]);
  return transpose(cofactors) * (1.0 / d);
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&matrices) {
    return;
  }
  let m = matrices[i];
  let n = inverse(m);
  inverses[i] = n;
  products[i] = m * n;
  determinants[i] = determinant(m);
}
