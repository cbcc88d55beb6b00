// The negation comes out of a loop that the driver unrolls.
// @buffer d i32 -300 7 100000 5 2147483647 -1 -1000000 8000
// @buffer o i32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<vec2i, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].x;
  let y = d[i].y;
  var w = 0;
  for (var k = 0; k < 3; k++) {
    w = -(x + w + k);
  }
  o[i] = max(y, max(x & 15, w));
}
