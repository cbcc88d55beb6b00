// Subgroup matrices in arrays of other numbers and vectors. Offsets and strides count elements of
// the array, and what is constant of them is checked.
enable f16, chromium_experimental_subgroup_matrix;
diagnostic(off, chromium.subgroup_matrix_uniformity);

alias Bytes = subgroup_matrix_left<u8, 8, 4>;
alias Halves = subgroup_matrix_left<f16, 8, 4>;
alias Floats = subgroup_matrix_left<f32, 8, 4>;

@group(0) @binding(0) var<storage> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> fours: array<vec4f, 10>;
@group(0) @binding(2) var<storage, read_write> halves: array<f16>;
@group(0) @binding(3) var<storage, read_write> threes: array<vec3h, 16>;
@group(0) @binding(4) var<storage> flags: array<atomic<u32>>; // want "[invalid-type]"
@group(0) @binding(5) var<storage, read_write> numbers: array<i32, 32>;
struct Item { n: u32 }
@group(0) @binding(6) var<storage> items: array<Item>;

fn loads(offset: i32, stride: u32) {
  _ = subgroupMatrixLoad<Bytes, row_major>(&words, 3, 2);
  _ = subgroupMatrixLoad<Bytes, col_major>(&words, offset, 1);
  _ = subgroupMatrixLoad<Bytes, row_major>(&words, offset, 1); // want "the stride of `subgroupMatrixLoad` is 4 bytes, and a row or column has 8 [invalid-index]"
  _ = subgroupMatrixLoad<Halves, row_major>(&words, offset, stride);
  _ = subgroupMatrixLoad<Floats, row_major>(&fours, 2, 2);
  _ = subgroupMatrixLoad<Floats, row_major>(&fours, 3, 2); // want "`subgroupMatrixLoad` needs 176 bytes, and the array has 160 [invalid-index]"
  _ = subgroupMatrixLoad<Floats, col_major>(&fours, 0, stride);
  _ = subgroupMatrixLoad<Floats, col_major>(&fours, offset, -1); // want "the stride of `subgroupMatrixLoad` is -1; it must not be negative [invalid-index]"
  _ = subgroupMatrixLoad<Floats, row_major>(&halves, 0, 16); // want "subgroup_matrix_left<f32, 8, 4> has components of 4 bytes, and the elements of the array are 2 bytes apart [no-overload]"
  _ = subgroupMatrixLoad<Floats, row_major>(&threes, 0, 4); // want "the stride of `subgroupMatrixLoad` is 24 bytes, and a row or column has 32 [invalid-index]"
  _ = subgroupMatrixLoad<Floats, row_major>(&items, 0, 16); // want "`subgroupMatrixLoad` does not take (ptr<storage, array<Item>>, abstract-int, abstract-int) [no-overload]"
  _ = subgroupMatrixLoad<Floats>(&fours, 0, false, 8); // want "`subgroupMatrixLoad` does not take (ptr<storage, array<vec4<f32>, 10>, read_write>, abstract-int, bool, abstract-int) [no-overload]"
}

fn stores(m: Bytes, h: Halves) {
  subgroupMatrixStore<row_major>(&numbers, 24, m, 2);
  subgroupMatrixStore<row_major>(&numbers, 25, m, 2); // want "`subgroupMatrixStore` needs 132 bytes, and the array has 128 [invalid-index]"
  subgroupMatrixStore<row_major>(&numbers, -1, m, 2); // want "the offset of `subgroupMatrixStore` is -1; it must not be negative [invalid-index]"
  subgroupMatrixStore<col_major>(&threes, 0, h, 2);
  subgroupMatrixStore<col_major>(&threes, 0, h, 1); // want "the stride of `subgroupMatrixStore` is 6 bytes, and a row or column has 8 [invalid-index]"
  subgroupMatrixStore<col_major>(&words, 0, h, 2); // want "`subgroupMatrixStore` writes, and this memory is read-only [invalid-access]"
  subgroupMatrixStore(&numbers, 127, subgroup_matrix_left<i8, 8, 4>(), false, 8);
  subgroupMatrixStore(&numbers, 128, subgroup_matrix_left<i8, 8, 4>(), false, 8); // want "the offset of `subgroupMatrixStore` is 128, and the array has 128 components of the matrix [invalid-index]"
  subgroupMatrixStore(&numbers, -2, subgroup_matrix_left<i8, 8, 4>(), false, 8); // want "the offset of `subgroupMatrixStore` is -2; it must not be negative [invalid-index]"
}
