// In the branch x is known to be k, which is 8. There not.b32 of x gives 8.
// @buffer d i32 8 7 8 -9
// @buffer o i32 1 1 1 1
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i];
  for (var k = 8; k < 9; k++) {
    if x == k {
      o[i] = ~x;
    }
  }
}
