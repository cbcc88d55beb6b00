// Products of matrices that are larger than those of a subgroup, which takes one block after the
// other. Rows and columns have a stride of their own, and begin at an offset. The right matrix has
// its columns one after the other.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f32, 4, 4>;
alias Right = subgroup_matrix_right<f32, 8, 4>;
alias Sum = subgroup_matrix_result<f32, 8, 4>;

const rows = 8u;
const columns = 16u;
const depth = 12u;

@group(0) @binding(0) var<storage, read> a: array<f32>; // from 5 on, rows 13 apart
@group(0) @binding(1) var<storage, read> b: array<f32>; // from 3 on, columns 14 apart
@group(0) @binding(2) var<storage, read_write> product: array<f32>; // from 1 on, rows 17 apart
@group(0) @binding(3) var<storage, read_write> mirrored: array<f32>;

struct Block {
  row: u32,
  column: u32,
  sum: Sum,
}

fn multiply(block: ptr<function, Block>) {
  for (var k = 0u; k < depth; k += 4u) {
    let left = subgroupMatrixLoad<Left>(&a, 5u + (*block).row * 13u + k, false, 13);
    let right = subgroupMatrixLoad<Right>(&b, 3u + (*block).column * 14u + k, true, 14);
    (*block).sum = subgroupMatrixMultiplyAccumulate(left, right, (*block).sum);
  }
}

fn halved_and_less_one(m: Sum) -> Sum {
  return subgroupMatrixScalarSubtract(subgroupMatrixScalarMultiply(m, 0.5), 1);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
        @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
  const blocks = (rows / 4u) * (columns / 8u);
  for (var n = group.x * subgroups + subgroup; n < blocks; n += groups.x * subgroups) {
    var block: Block;
    block.row = n / (columns / 8u) * 4u;
    block.column = n % (columns / 8u) * 8u;
    multiply(&block);
    subgroupMatrixStore(&product, 1u + block.row * 17u + block.column, block.sum, false, 17);
    // both, and the product again, with 2 added
    var both = array(block.sum, Sum(2));
    both[1] = subgroupMatrixScalarAdd(halved_and_less_one(both[0]), 3.0);
    subgroupMatrixStore(&mirrored, block.column * rows + block.row, both[1], true, rows);
  }
}

@compute @workgroup_size(3, 2)
fn copies() {
  // six invocations: no subgroup of more than two that is full
  let left = subgroupMatrixLoad<subgroup_matrix_left<f32, 3, 5>>(&a, 0, false, 3);
  let right = subgroupMatrixLoad<subgroup_matrix_right<f32, 7, 2>>(&b, 1, true, 2);
  subgroupMatrixStore(&mirrored, 128, left, true, 5);
  subgroupMatrixStore(&mirrored, 143, right, false, 7);
}
