// The sign bit is 1, and the shift by 3 shifts in zeros.
// @buffer d i32 1 -5 100 0
// @buffer o i32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  o[i] = i32(u32((d[i] | i32(-2147483648)) >> 3u) >> 31u);
}
