// The comparison is false for all x. nv-minmax-negation leaves no abs.
// @without nv-minmax-negation
// @buffer d i32 1 -1 2 5
// @buffer o u32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  o[i] = select(0u, 1u, -abs(d[i]) > -3);
}
