// WGSL written by gpuc: kernel main

enable f16;

struct Mixed {
  a: f16,
  b: f16,
  c: vec3h,
  d: f16,
  e: vec2h,
  f: f32,
  g: mat2x2h,
  h: array<f16, 3>,
}

@group(0) @binding(0) var<uniform> scale: vec4h;
@group(0) @binding(1) var<storage, read> given: array<Mixed>;
@group(0) @binding(2) var<storage, read_write> stored: array<Mixed>;
@group(0) @binding(3) var<storage, read_write> floats: array<array<f32, 8>>;
@group(0) @binding(4) var<storage, read_write> words: array<vec4u>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&given) {
    return;
  }
  let m = given[i];
  stored[i].a = m.b;
  stored[i].c = m.c * scale.xyz;
  stored[i].e.y = m.a + m.d;
  let t = m.g[1];
  stored[i].g = mat2x2h(t, m.e);
  stored[i].h[i % 3u] = f16(m.f);
  let t_1 = array<f32, 8>(f32(m.a), f32(m.c.z), f32(m.d), f32(t.x), f32(m.h[2]), f32(dot(vec2h(m.e.x, 4.0h), vec2h(1.0h, 2.0h))), f32(max(m.b, m.a)), f32(m.a < m.b));
  floats[i] = t_1;
  let t_2 = vec4u(bitcast<u32>(m.e), u32(abs(m.a)) + 3u, bitcast<u32>(i32(trunc(m.b)) << 1u), pack2x16float(vec2f(m.c.xy)));
  words[i] = t_2;
}
