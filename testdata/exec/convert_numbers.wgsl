// Conversions: floats to integers truncate and clamp to what the float type can
// hold, integers to floats round, bool to and from numbers, and bitcasts that
// keep every bit, between vectors too.
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
  integers[i] = vec4i(i32(f), i32(w), vec2i(vec2f(-f, f * 0.5)));
  unsigned_integers[i] = vec4u(
    u32(f), bitcast<u32>(f), u32(bool(w & 8u)) | (u32(bool(f)) << 1u), vec2u(vec2f(f, -f)).y);
  converted[i] = vec4f(f32(w), f32(bitcast<i32>(w)), f32((w & 1u) == 1u), bitcast<vec2f>(vec2u(w & 0xbf7fffffu, 0u)).x);
}
