// Products of bytes in the shapes that many devices have instructions for: 16×32 times 32×16. The
// words of workgroup memory have rows of the first matrix and columns of the second.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Sum = subgroup_matrix_result<i32, 16, 16>;

@group(0) @binding(0) var<storage, read> signed: array<i32>;
@group(0) @binding(1) var<storage, read> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<i32>;
@group(0) @binding(3) var<storage, read_write> sums_unsigned: array<u32>;
@group(0) @binding(4) var<storage, read_write> doubled: array<i32>;

var<workgroup> words: array<i32, 256>; // 16×32 and 32×16 bytes

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(subgroup_id) subgroup: u32) {
  for (var n = i; n < 256u; n += 64u) {
    words[n] = signed[group.x * 256u + n];
  }
  workgroupBarrier();
  if subgroup != 0u {
    return;
  }
  let left = subgroupMatrixLoad<subgroup_matrix_left<i8, 32, 16>>(&words, 0, false, 32);
  let right = subgroupMatrixLoad<subgroup_matrix_right<i8, 16, 32>>(&words, 512, true, 32);
  let more = subgroupMatrixMultiplyAccumulate(left, right, Sum(-5));
  subgroupMatrixStore(&sums, group.x * 256u, more, false, 16);
  subgroupMatrixStore(&doubled, group.x * 512u, subgroupMatrixScalarMultiply(left, 2), false, 32);

  let first = group.x * 1024u + 1u;
  let left_unsigned = subgroupMatrixLoad<subgroup_matrix_left<u8, 32, 16>>(&unsigned, first, true, 16);
  let right_unsigned = subgroupMatrixLoad<subgroup_matrix_right<u8, 16, 32>>(&unsigned, first + 512u, false, 16);
  subgroupMatrixStore(&sums_unsigned, group.x * 256u, subgroupMatrixMultiply<u32>(left_unsigned, right_unsigned), true, 16);
}
