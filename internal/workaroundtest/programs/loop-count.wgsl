// The trip count is (0xfffffff0 + 0x55555554) / 0x55555555, which overflows: 1 instead of 3.
// @compiler nvidia ptxas
// @buffer o u32 zeros 1
@group(0) @binding(0) var<storage, read_write> o: array<u32, 1>;

@compute @workgroup_size(1)
fn main() {
  for (var k = 0u; k < 0xfffffff0u; k += 0x55555555u) {
    o[0]++;
  }
}
