// Products of 8×8 blocks, which some devices compute with one instruction. A subgroup has two sums
// at a time, in an array, and changes their elements.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f32, 8, 8>;
alias Right = subgroup_matrix_right<f32, 8, 8>;
alias Sum = subgroup_matrix_result<f32, 8, 8>;

const rows = 24u;
const columns = 32u;
const depth = 24u;
const apart = 36u; // of rows in the tile

@group(0) @binding(0) var<storage, read> a: array<f32>; // from 3 on, rows 26 apart
@group(0) @binding(1) var<storage, read> b: array<f32>; // columns 25 apart
@group(0) @binding(2) var<storage, read_write> product: array<f32>; // by rows
@group(0) @binding(3) var<storage, read_write> changed: array<f32>; // by columns, 26 apart

struct Block {
  scale: f32,
  sums: array<Sum, 2>,
}

var<workgroup> tile: array<f32, depth * apart>;

fn multiplied(block: Block, row: u32, column: u32) -> Block {
  var next = block;
  for (var k = 0u; k < depth; k += 8u) {
    let left = subgroupMatrixLoad<Left>(&a, 3u + row * 26u + k, false, 26);
    for (var i = 0u; i < 2u; i++) {
      let right = subgroupMatrixLoad<Right>(&tile, k * apart + column + i * 8u, false, apart);
      next.sums[i] = subgroupMatrixMultiplyAccumulate(left, right, next.sums[i]);
    }
  }
  return next;
}

fn rescaled(sums: Sum, scale: f32) -> Sum {
  return subgroupMatrixScalarSubtract(subgroupMatrixScalarMultiply(sums, scale), 1);
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
  for (var i = local; i < depth * columns; i += 64u) {
    tile[i % depth * apart + i / depth] = b[i / depth * 25u + i % depth];
  }
  workgroupBarrier();
  // a workgroup computes 8 rows, and each subgroup 16 columns at a time
  let row = group.x * 8u;
  for (var column = subgroup * 16u; column < columns; column += subgroups * 16u) {
    var block: Block;
    block.scale = 0.5;
    block = multiplied(block, row, column);
    let first_sums = block.sums[0];
    for (var i = 0u; i < 2u; i++) {
      subgroupMatrixStore(&product, row * columns + column + i * 8u, block.sums[i], false, columns);
    }
    var more = first_sums;
    if column >= 16u {
      more = subgroupMatrixScalarAdd(rescaled(block.sums[1], block.scale), 4);
    }
    subgroupMatrixStore(&changed, column * 26u + row, more, true, 26);
    subgroupMatrixStore(&changed, (column + 8u) * 26u + row, rescaled(first_sums, 2), true, 26);
  }
}
