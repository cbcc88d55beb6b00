// Of max(y >> 30, abs(x + x)) the negation in abs is lost: 0 for a negative x.
// @buffer d i32 -3 7 -100 5 2147483647 -1 -1000000 1
// @buffer o i32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<vec2i, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].x;
  let y = d[i].y;
  o[i] = max(y >> 30, abs(x + x));
}
