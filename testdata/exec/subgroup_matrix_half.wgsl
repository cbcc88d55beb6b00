// Products of halves in workgroup memory, with sums of f32 and of f16.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 8, 8>;
alias Right = subgroup_matrix_right<f16, 8, 8>;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> wide: array<f32>;
@group(0) @binding(3) var<storage, read_write> narrow: array<f16>;

struct Shared {
  a: array<f16, 256>,
  b: array<f16, 256>,
}
var<workgroup> shared_halves: Shared;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(subgroup_id) subgroup: u32) {
  for (var n = i; n < 256u; n += 32u) {
    shared_halves.a[n] = a[group.x * 256u + n];
    shared_halves.b[n] = b[n];
  }
  workgroupBarrier();
  if subgroup != 0u {
    return;
  }
  // an 8×32 row of blocks, and a 32×8 column of blocks
  var sum: subgroup_matrix_result<f32, 8, 8>;
  var last: subgroup_matrix_result<f16, 8, 8>;
  for (var k = 0u; k < 32u; k += 8u) {
    let left = subgroupMatrixLoad<Left>(&shared_halves.a, k, false, 32);
    let right = subgroupMatrixLoad<Right>(&shared_halves.b, k * 8u, false, 8);
    sum = subgroupMatrixMultiplyAccumulate(left, right, sum);
    last = subgroupMatrixMultiply<f16>(left, right);
  }
  subgroupMatrixStore(&wide, group.x * 64u, sum, false, 8);
  subgroupMatrixStore(&narrow, group.x * 64u, last, true, 8);
}
