// x <= (x & mask) becomes x <= mask, and a mask of -1 is compared with.
// @buffer d i32 0 0 0 0 5 5 5 5 -3 -3 -3 -3
// @buffer o u32 zeros 12
@group(0) @binding(0) var<storage, read> d: array<vec4i, 3>;
@group(0) @binding(1) var<storage, read_write> o: array<vec4u, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = d[i].xyz;
  o[i] = vec4u(vec3u(x <= (x & vec3i(-1, 2147483647, -1))), 0u);
}
