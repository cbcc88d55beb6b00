// Subgroup matrices become fragments.
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<i8, 8, 4>;
alias Right = subgroup_matrix_right<i8, 16, 8>;
alias Sum = subgroup_matrix_result<i32, 16, 4>;
struct Sums { first: Sum, others: array<Sum, 2> }

@group(0) @binding(0) var<storage> a: array<i32>;
var<workgroup> b: array<i32, 32>;
@group(0) @binding(1) var<storage, read_write> c: array<i32, 64>;

fn multiply(left: Left, right: Right, sums: ptr<function, Sums>) {
  (*sums).others[1] = subgroupMatrixMultiplyAccumulate(left, right, (*sums).first);
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3u) {
  let left = subgroupMatrixLoad<Left>(&a, i32(group.x), false, 8i);
  let right = subgroupMatrixLoad<Right>(&b, 16, true, group.y);
  var sums = Sums(subgroupMatrixMultiply<i32>(left, right), array<Sum, 2>());
  multiply(left, right, &sums);
  sums.first = subgroupMatrixScalarAdd(sums.others[1], 2);
  sums.first = subgroupMatrixScalarSubtract(sums.first, i32(group.x));
  sums.others[0] = subgroupMatrixScalarMultiply(sums.first, 3);
  subgroupMatrixStore(&c, 0, sums.others[0], false, 16);
  subgroupMatrixStore(&c, 0u, Left(-5), true, 8u);
  subgroupMatrixStore<col_major>(&c, 8, subgroupMatrixLoad<Left, row_major>(&a, 4i, 8u), 4);
}
