// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> floats: array<f32>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> integers: array<vec4i>;
@group(0) @binding(3) var<storage, read_write> unsigned_integers: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> converted: array<vec4f>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&floats) {
    return;
  }
  let f = floats[i];
  let w = words[i];
  let t = -f;
  let t_1 = vec2i(vec2f(t, f * 0.5));
  integers[i] = vec4i(i32(f), i32(w), t_1.x, t_1.y);
  let t_2 = vec4u(u32(f), bitcast<u32>(f), u32(bool(w & 8u)) | (u32(bool(f)) << 1u), vec2u(vec2f(f, t)).y);
  unsigned_integers[i] = t_2;
  let t_3 = vec4f(f32(w), f32(bitcast<i32>(w)), f32((w & 1u) == 1u), bitcast<vec2f>(vec2u(w & 3212836863u, 0u)).x);
  converted[i] = t_3;
}
