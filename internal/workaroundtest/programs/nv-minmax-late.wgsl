// The index is clamped by an unsigned min. k is 1, which the driver learns after it has fused the sum
// and the min: it makes ~x - 1 of 1 - ~x.
// @buffer d u32 10 11 12 13 14 15 16 17
// @buffer o u32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  for (var k = 1u; k <= 1u; k++) {
    o[id.x] += d[1u - ~id.x * k];
  }
}
