// k = -k in a loop is taken for a copy.
// @buffer d i32 4 3
// @buffer o i32 zeros 2
@group(0) @binding(0) var<storage, read> d: array<i32, 2>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 2>;

@compute @workgroup_size(1)
fn main() {
  var k = 7;
  for (var n = 0; n < d[0]; n++) {
    o[0] = o[0] * 3 + k;
    k *= -1;
  }
  o[1] = k;
}
