// Packing into words and back: normalised bytes and halves with their clamping
// and rounding, f16 pairs, and the integer forms that wrap or clamp.
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
  let bytes = vec4i(extractBits(bitcast<i32>(w), 0u, 11u), -200, 200, bitcast<i32>(w));
  packed[i] = array(
    pack4x8snorm(f),
    pack4x8unorm(f),
    pack2x16snorm(f.xy),
    pack2x16unorm(f.zw),
    pack2x16float(f.yz * 8.0),
    pack4xI8(bytes),
    pack4xU8(bitcast<vec4u>(bytes)),
    pack4xI8Clamp(bytes),
    pack4xU8Clamp(bitcast<vec4u>(bytes) & vec4u(0x1ffu)),
  );
  unpacked[i] = array(
    unpack4x8snorm(w),
    unpack4x8unorm(w),
    vec4f(unpack2x16snorm(w), unpack2x16unorm(w)),
    vec4f(unpack2x16float(w & 0x7bff7bffu), unpack2x16float(w & 0x83ff3fffu)),
  );
  integers[i] = unpack4xI8(w) * 1000 + vec4i(unpack4xU8(w));
}
