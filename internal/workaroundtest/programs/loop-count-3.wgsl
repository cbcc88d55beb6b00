// Neither start is known. Unrolled by four, the loops come back to where they were.
// @compiler nvidia ptxas
// @buffer d u32 3 0x30000001
// @buffer o u32 zeros 2
@group(0) @binding(0) var<storage, read> d: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
  for (var k = d[0]; k < 0x80000000u; k += 0x7ffffffeu) {
    o[0]++;
  }
  for (var k = d[1]; k < 0xf0000000u; k += 0x40000000u) {
    o[1]++;
  }
}
