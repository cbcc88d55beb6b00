// Products of bytes, four in a word, of the shapes that matrix units have: at places that these
// take, and at others.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<i8, 32, 16>;
alias Right = subgroup_matrix_right<i8, 16, 32>;
alias LeftUnsigned = subgroup_matrix_left<u8, 32, 16>;
alias RightUnsigned = subgroup_matrix_right<u8, 16, 32>;

@group(0) @binding(0) var<storage, read> signed: array<i32>;
@group(0) @binding(1) var<storage, read> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<i32>;
@group(0) @binding(3) var<storage, read_write> sums_unsigned: array<u32>;
@group(0) @binding(4) var<storage, read_write> copies: array<i32>;

struct Places {
  left: u32,
  left_stride: u32,
  right: u32,
  right_stride: u32,
}
@group(0) @binding(5) var<uniform> places: Places;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) subgroup: u32) {
  if subgroup != 0u {
    return;
  }
  let first = group.x * 2048u;
  let left = subgroupMatrixLoad<Left>(&signed, first + places.left, false, places.left_stride);
  let right = subgroupMatrixLoad<Right>(&signed, first + places.right, true, places.right_stride);
  let sum = subgroupMatrixMultiply<i32>(left, right);
  subgroupMatrixStore(&sums, group.x * 520u, subgroupMatrixMultiplyAccumulate(left, right, sum), false, 16);
  subgroupMatrixStore(&sums, group.x * 520u + 257u, sum, true, 16);

  let left_unsigned = subgroupMatrixLoad<LeftUnsigned>(&unsigned, first, true, 16);
  let right_unsigned = subgroupMatrixLoad<RightUnsigned>(&unsigned, first + 515u, false, 21);
  let more = subgroup_matrix_result<u32, 16, 16>(4294967290);
  subgroupMatrixStore(&sums_unsigned, group.x * 256u, subgroupMatrixMultiplyAccumulate(left_unsigned, right_unsigned, more), false, 16);

  // sums and products wrap, and scalars are clamped
  subgroupMatrixStore(&copies, group.x * 2048u, subgroupMatrixScalarAdd(left, 300), false, 48);
  subgroupMatrixStore(&copies, group.x * 2048u + 1025u, subgroupMatrixScalarMultiply(right, -300), true, 33);
}
