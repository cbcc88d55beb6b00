// Subgroup matrices in arrays of other numbers and vectors. Offsets and strides count elements of
// the array. All that is loaded is stored elsewhere, with the same bits.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Bytes = subgroup_matrix_left<u8, 8, 4>;
alias Square = subgroup_matrix_result<i8, 8, 8>;
alias Halves = subgroup_matrix_right<f16, 8, 8>;
alias Floats = subgroup_matrix_result<f32, 4, 4>;
alias Triples = subgroup_matrix_left<f32, 3, 4>;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4u>;
@group(0) @binding(2) var<storage, read> pairs: array<vec2h>;
@group(0) @binding(3) var<storage, read> triples: array<vec3f>;
@group(0) @binding(4) var<storage, read_write> out_words: array<i32, 112>;
@group(0) @binding(5) var<storage, read_write> out_pairs: array<vec2h>;
@group(0) @binding(6) var<storage, read_write> out_triples: array<vec3f>;
@group(0) @binding(7) var<storage, read_write> out_halves: array<f16>;

var<workgroup> tile: array<vec4u, 20>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) subgroup: u32) {
  if subgroup == 0u && group.x == 0u {
    let bytes = subgroupMatrixLoad<Bytes, row_major>(&words, 1, 3);
    subgroupMatrixStore<col_major>(&out_words, 2, bytes, 2);
    let halves = subgroupMatrixLoad<Halves, row_major>(&quads, 1, 2);
    subgroupMatrixStore<row_major>(&out_words, 40, halves, 5);
  }
  if subgroup == 0u && group.x == 1u {
    let floats = subgroupMatrixLoad<Floats, col_major>(&pairs, 3, 6);
    subgroupMatrixStore<row_major>(&out_pairs, 1, floats, 5);
    subgroupMatrixStore<row_major>(&out_words, 84, floats, 7);
  }
  if subgroup == 0u && group.x == 2u {
    let triples = subgroupMatrixLoad<Triples, row_major>(&triples, 1, 2);
    subgroupMatrixStore<row_major>(&out_triples, 0, triples, 1);
    let square = subgroupMatrixLoad<Square, row_major>(&pairs, 0, 4);
    subgroupMatrixStore<col_major>(&out_halves, 3, square, 5);
    subgroupMatrixStore<row_major>(&tile, 1, subgroupMatrixLoad<Floats, row_major>(&quads, 0, 3), 4);
  }
  workgroupBarrier();
  if subgroup == 0u && group.x == 2u {
    let part = subgroupMatrixLoad<Bytes, row_major>(&tile, 1, 4);
    subgroupMatrixStore<row_major>(&out_pairs, 30, part, 3);
  }
}
