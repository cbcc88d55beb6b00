// A loop carries a bool, whose first value is computed.
// @buffer d u32 5 3 1 0
// @buffer o u32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  var odd = (i & d[2]) == 1u;
  for (var k = 0u; k < d[0]; k++) {
    if odd {
      o[i] += k;
    }
    odd = !odd;
  }
}
