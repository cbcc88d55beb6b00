// A function of three values is compared with zero.
// @buffer x u32 1 3 5 7 0 0 0 0 0xffffffff 1 2 3 8 9 10 11
@group(0) @binding(0) var<storage, read_write> x: array<vec4u, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let v = x[i];
  let majority = (v.x & v.y) ^ (v.x & v.z) ^ (v.y & v.z);
  if v.w + majority == 0u {
    x[i].x = 100u;
  }
  x[i].w = v.w + majority;
}
