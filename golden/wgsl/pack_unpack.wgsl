// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> floats: array<vec4f>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> packed: array<array<u32, 9>>;
@group(0) @binding(3) var<storage, read_write> unpacked: array<array<vec4f, 4>>;
@group(0) @binding(4) var<storage, read_write> integers: array<vec4i>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&floats) {
    return;
  }
  let f = floats[i];
  let w = words[i];
  let t = bitcast<i32>(w);
  let bytes = vec4i(extractBits(t, 0u, 11u), -200, 200, t);
  let t_1 = bitcast<vec4u>(bytes);
  let t_2 = array<u32, 9>(pack4x8snorm(f), pack4x8unorm(f), pack2x16snorm(f.xy), pack2x16unorm(f.zw), pack2x16float(f.yz * 8.0), pack4xI8(bytes), pack4xU8(t_1), pack4xI8Clamp(bytes), pack4xU8Clamp(t_1 & vec4u(511u)));
  packed[i] = t_2;
  let t_3 = unpack2x16snorm(w);
  let t_4 = unpack2x16unorm(w);
  let t_5 = unpack2x16float(w & 2080340991u);
  let t_6 = unpack2x16float(w & 2214543359u);
  let t_7 = array<vec4f, 4>(unpack4x8snorm(w), unpack4x8unorm(w), vec4f(t_3.x, t_3.y, t_4.x, t_4.y), vec4f(t_5.x, t_5.y, t_6.x, t_6.y));
  unpacked[i] = t_7;
  integers[i] = unpack4xI8(w) * 1000 + vec4i(unpack4xU8(w));
}
