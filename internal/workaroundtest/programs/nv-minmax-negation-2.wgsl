// A quotient by a negative power of two is a negated shift.
// @buffer d i32 -300 7 100000 5 2147483647 -1 -1000000 8000
// @buffer o i32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<vec2i, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<vec2i, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].x;
  let y = d[i].y;
  o[i].x = min(min(x, x / -128), y);
  o[i].y = max(max(x, -x), y);
}
