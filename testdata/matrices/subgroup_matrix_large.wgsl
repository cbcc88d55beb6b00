// Products of halves in workgroup memory, of the shapes that matrix units have. A workgroup makes
// 32×32 elements of the product, as four blocks that its subgroups share.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sum = subgroup_matrix_result<f32, 16, 16>;
alias Half = subgroup_matrix_result<f16, 16, 16>;

const depth = 32u;

@group(0) @binding(0) var<storage, read> a: array<f16>; // 32 rows of 32
@group(0) @binding(1) var<storage, read> b: array<f16>; // 32 rows of 32
@group(0) @binding(2) var<storage, read_write> wide: array<f32>; // 32 rows of 32
@group(0) @binding(3) var<storage, read_write> narrow: array<f16>; // 32 rows of 40, from 5 on

var<workgroup> left_tile: array<f16, 512>; // 32 rows of 16
var<workgroup> right_tile: array<f16, 512>; // 16 rows of 32
var<workgroup> sums_tile: array<f32, 1024>;

struct Block {
  sum: Sum,
  last: Half,
}

fn accumulate(block: ptr<function, Block>, row: u32, column: u32) {
  let left = subgroupMatrixLoad<Left>(&left_tile, row * 16u, false, 16);
  let right = subgroupMatrixLoad<Right>(&right_tile, column, false, 32);
  (*block).sum = subgroupMatrixMultiplyAccumulate(left, right, (*block).sum);
  (*block).last = subgroupMatrixMultiply<f16>(left, right);
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
  var blocks: array<Block, 4>;
  for (var k = 0u; k < depth; k += 16u) {
    for (var n = i; n < 512u; n += 64u) {
      left_tile[n] = a[n / 16u * depth + k + n % 16u];
      right_tile[n] = b[(k + n / 32u) * 32u + group.x * 32u + n % 32u];
    }
    workgroupBarrier();
    for (var n = 0u; n < 4u; n++) {
      if n % subgroups == subgroup {
        accumulate(&blocks[n], n / 2u * 16u, n % 2u * 16u);
      }
    }
    workgroupBarrier();
  }
  for (var n = 0u; n < 4u; n++) {
    if n % subgroups == subgroup {
      let scaled = subgroupMatrixScalarSubtract(subgroupMatrixScalarMultiply(blocks[n].sum, 0.5), 3.0);
      subgroupMatrixStore(&sums_tile, n * 256u, scaled, false, 16);
      // the columns are rows in memory, at a place that no matrix unit takes
      let place = 5u + (group.x * 32u + n % 2u * 16u) * 40u + n / 2u * 16u;
      subgroupMatrixStore(&narrow, place, subgroupMatrixScalarAdd(blocks[n].last, 1.0h), true, 40);
    }
  }
  workgroupBarrier();
  for (var n = i; n < 1024u; n += 64u) {
    let block = n / 256u;
    let row = block / 2u * 16u + n / 16u % 16u;
    let column = block % 2u * 16u + n % 16u;
    wide[row * 32u + group.x * 32u + column] = sums_tile[n] + 3.0;
  }
}
