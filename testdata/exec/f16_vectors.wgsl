// f16 in vectors, matrices and structs: conversions from and to f32, i32 and
// u32, arithmetic rounded after each operation, layout with two-byte members
// and vec3h, uniform and storage, bitcast of pairs to words.
enable f16;

struct Mixed {
  a: f16,
  b: f16,
  c: vec3h, // aligned to 8
  d: f16, // in the tail of c
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
  stored[i].g = mat2x2h(m.g[1], m.e);
  stored[i].h[i % 3u] = f16(m.f);
  floats[i] = array(
    f32(m.a), f32(m.c.z), f32(m.d), f32(m.g[1].x), f32(m.h[2]), f32(dot(vec2h(1, 2), vec2h(m.e.x, 4))),
    f32(max(m.a, m.b)), f32(m.a < m.b));
  words[i] = vec4u(
    bitcast<u32>(m.e),
    u32(abs(m.a)) + u32(bitcast<vec4h>(vec2u(0x3c004000u, 0x42004400u)).w),
    bitcast<u32>(i32(trunc(m.b)) * 2),
    pack2x16float(vec2f(m.c.xy)));
}
