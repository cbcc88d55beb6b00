// Dot products of integers: vectors of every width with wrapping sums, and the
// packed forms of four bytes, with and without sign.
@group(0) @binding(0) var<storage, read> data: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 5>>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let a = data[i].x;
  let b = data[i].y;
  let u = vec4u(a, b, a ^ b, 3u);
  let v = vec4i(bitcast<i32>(a) >> 16u, -5, bitcast<i32>(b) >> 20u, 1);
  results[i] = array(
    dot4U8Packed(a, b),
    bitcast<u32>(dot4I8Packed(a, b)),
    dot(u, u.wzyx),
    bitcast<u32>(dot(v.xyz, v.zyx)),
    dot(u.xy, vec2u(3u, 5u)),
  );
}
