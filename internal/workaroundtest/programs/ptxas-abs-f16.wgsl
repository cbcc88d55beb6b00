// clamp makes a pair of two halves, and the lower one keeps its sign. The halves are -2 and 1 in the
// first element of v, and -3 and -1 in the second.
// @buffer v u16 0xc000 0x3c00 0xc200 0xbc00
// @buffer o u16 zeros 4
enable f16;
@group(0) @binding(0) var<storage, read> v: array<vec2h, 2>;
@group(0) @binding(1) var<storage, read_write> o: array<vec2h, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  o[i] = abs(clamp(v[i], vec2h(-6), vec2h(3.25)));
}
