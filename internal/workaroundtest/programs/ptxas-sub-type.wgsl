// z is 0, which ptxas finds when it unrolls the loop: z - x is fused with the max, and loses its sign.
// @buffer d i32 -3 1 7 2 -2147483647 5 -8 100
// @buffer o i32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<vec2i, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<vec2i, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].x;
  for (var z = 0; z < 1; z++) {
    o[i].x += max(max(z - x, x), d[i].y);
    o[i].y += min(z - x, d[i].y);
  }
}
