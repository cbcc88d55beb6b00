// Subgroup matrices beside and beyond the ends of arrays: loads take the last element there, and
// stores leave out what is outside.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sum = subgroup_matrix_result<f32, 16, 16>;

struct Rows {
  count: u32,
  stride: u32,
  offset: u32,
  data: array<f16>,
}

@group(0) @binding(0) var<storage, read> rows: Rows;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> moved: array<f16>;
@group(0) @binding(3) var<storage, read_write> behind: array<f32>; // only its first element is stored

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) subgroup: u32) {
  if subgroup != 0u {
    return;
  }
  let at = rows.offset + group.x * rows.count;
  let left = subgroupMatrixLoad<Left>(&rows.data, at, false, rows.stride);
  let right = subgroupMatrixLoad<Right>(&rows.data, at, true, rows.stride);
  let sum = subgroupMatrixMultiply<f32>(left, right);
  subgroupMatrixStore(&sums, group.x * 256u, sum, false, 16);
  subgroupMatrixStore(&moved, group.x * 272u, right, true, 16);
  if group.x == 0 {
    subgroupMatrixStore(&behind, arrayLength(&behind) - 1u, sum, false, 0x11111112u);
  }
}
