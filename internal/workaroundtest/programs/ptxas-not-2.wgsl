// The same with another value in each iteration.
// @buffer d i32 8 10 12 -9
// @buffer o i32 1 1 1 1
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i];
  var y = 1;
  for (var k = 8; k < 100; k += 1 + (k & 1)) {
    if x == k {
      y = ~x;
    }
  }
  o[i] = y;
}
