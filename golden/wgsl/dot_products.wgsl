// WGSL written by gpuc: kernel main

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
  let t = a ^ b;
  let u = vec4u(a, b, t, 3u);
  let t_1 = bitcast<i32>(a) >> 16u;
  let t_2 = bitcast<i32>(b) >> 20u;
  let t_3 = array<u32, 5>(dot4U8Packed(a, b), bitcast<u32>(dot4I8Packed(a, b)), dot(u, vec4u(3u, t, b, a)), bitcast<u32>(dot(vec3i(t_1, -5, t_2), vec3i(t_2, -5, t_1))), dot(vec2u(a, b), vec2u(3u, 5u)));
  results[i] = t_3;
}
