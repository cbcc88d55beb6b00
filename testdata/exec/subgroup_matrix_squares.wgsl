// Products in the shapes that many devices have instructions for: halves in workgroup memory and in
// storage, with sums of f32 and of f16.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> wide: array<f32>;
@group(0) @binding(3) var<storage, read_write> narrow: array<f16>;

var<workgroup> shared_a: array<f16, 512>;  // 16×32
var<workgroup> shared_b: array<f16, 1024>; // 32×32

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(subgroup_id) subgroup: u32) {
  for (var n = i; n < 512u; n += 64u) {
    shared_a[n] = a[group.x * 512u + n];
  }
  for (var n = i; n < 1024u; n += 64u) {
    shared_b[n] = b[n];
  }
  workgroupBarrier();
  if subgroup != 0u {
    return;
  }
  for (var column = 0u; column < 32u; column += 16u) {
    var sum: subgroup_matrix_result<f32, 16, 16>;
    for (var k = 0u; k < 32u; k += 16u) {
      let left = subgroupMatrixLoad<Left>(&shared_a, k, false, 32);
      let right = subgroupMatrixLoad<Right>(&shared_b, k * 32u + column, false, 32);
      sum = subgroupMatrixMultiplyAccumulate(left, right, sum);
    }
    subgroupMatrixStore(&wide, group.x * 512u + column, subgroupMatrixScalarAdd(sum, 3), false, 32);
    // the first 16 of the depth, of the transposed second matrix
    let left = subgroupMatrixLoad<Left>(&a, group.x * 512u, false, 32);
    let right = subgroupMatrixLoad<Right>(&shared_b, column * 32u, true, 32);
    subgroupMatrixStore(&narrow, group.x * 512u + column * 16u, subgroupMatrixMultiply<f16>(left, right), true, 16);
  }
}
