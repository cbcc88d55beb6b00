// Products of signed and unsigned bytes, of which a word has four. Offsets and strides count bytes.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

@group(0) @binding(0) var<storage, read> signed: array<i32>;
@group(0) @binding(1) var<storage, read> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<i32>;
@group(0) @binding(3) var<storage, read_write> sums_unsigned: array<u32>;
@group(0) @binding(4) var<storage, read_write> changed: array<i32>;
@group(0) @binding(5) var<storage, read_write> changed_unsigned: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) subgroup: u32) {
  if subgroup != 0u {
    return;
  }
  let first = group.x * 256u;
  // 4×16 times 16×8, the second by columns
  let left = subgroupMatrixLoad<subgroup_matrix_left<i8, 16, 4>>(&signed, first, false, 16);
  let right = subgroupMatrixLoad<subgroup_matrix_right<i8, 8, 16>>(&signed, first + 64, true, 16);
  subgroupMatrixStore(&sums, group.x * 32, subgroupMatrixMultiply<i32>(left, right), false, 8);

  let left_unsigned = subgroupMatrixLoad<subgroup_matrix_left<u8, 4, 4>>(&unsigned, first + 3, false, 9);
  let right_unsigned = subgroupMatrixLoad<subgroup_matrix_right<u8, 4, 4>>(&unsigned, first + 80, false, 4);
  let more = subgroup_matrix_result<u32, 4, 4>(1000);
  subgroupMatrixStore(&sums_unsigned, group.x * 16, subgroupMatrixMultiplyAccumulate(left_unsigned, right_unsigned, more), true, 4);

  // sums and products wrap, and the scalars are clamped: to 127, -128 and 255
  let to = group.x * 64u;
  subgroupMatrixStore(&changed, to, subgroupMatrixScalarAdd(subgroupMatrixMultiply<i8>(left_again(first), right_again(first)), 300), false, 5);
  subgroupMatrixStore(&changed, to + 22, subgroupMatrixScalarMultiply(right_again(first), -300), true, 9);
  subgroupMatrixStore(&changed_unsigned, to + 1, subgroupMatrixScalarSubtract(left_unsigned, 1000u), true, 5);
}

fn left_again(first: u32) -> subgroup_matrix_left<i8, 4, 4> {
  return subgroupMatrixLoad<subgroup_matrix_left<i8, 4, 4>>(&signed, first, false, 8);
}

fn right_again(first: u32) -> subgroup_matrix_right<i8, 4, 4> {
  return subgroupMatrixLoad<subgroup_matrix_right<i8, 4, 4>>(&signed, first + 1, false, 5);
}
