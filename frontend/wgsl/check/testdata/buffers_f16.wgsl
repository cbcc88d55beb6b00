// With f16 the size of a buffer is a multiple of 2 (WGSL §6.3).
enable f16;
requires buffer_view;
@group(0) @binding(0) var<storage, read_write> halves: buffer<6>;
alias Odd = buffer<7>; // want "the size of a buffer is a number of bytes, greater than 0 and a multiple of 2, found 7 [invalid-type]"
fn f() {
  *bufferView<f16>(&halves, 4) = 1;
  *bufferView<vec2h>(&halves, 2) = vec2h(); // want "the offset of `bufferView` must be a multiple of 4, the alignment of vec2<f16>, found 2 [evaluation-error]"
  *bufferView<u32>(&halves, 4) = 1; // want "4 bytes at offset 4 would lie outside of buffer<6> [evaluation-error]"
}
