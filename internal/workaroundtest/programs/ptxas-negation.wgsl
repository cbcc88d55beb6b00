// max(max(x, -x), y) has x twice.
// @buffer d i32 -3 1 7 2 -2147483647 5 -8 100
// @buffer o i32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<vec2i, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].x;
  o[i] = max(max(x, -x), d[i].y);
}
