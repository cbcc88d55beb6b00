// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> unsigned_results: array<array<u32, 8>>;
@group(0) @binding(2) var<storage, read_write> signed_results: array<array<i32, 8>>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let a = data[i];
  let offset = i % 37u;
  let count = i / 3u % 35u;
  let t = array<u32, 8>(countOneBits(a), reverseBits(a), countLeadingZeros(a), countTrailingZeros(a), firstLeadingBit(a), firstTrailingBit(a), extractBits(a, offset, count), insertBits(a, 1515870810u, offset, count));
  unsigned_results[i] = t;
  let x = bitcast<i32>(a);
  let pair = vec2i(x, ~x);
  let t_1 = array<i32, 8>(countOneBits(x), reverseBits(pair).y, countLeadingZeros(x), countTrailingZeros(pair).y, firstLeadingBit(x), firstTrailingBit(pair).x, extractBits(x, offset, count), insertBits(pair, vec2i(-1, 3), offset, count).y);
  signed_results[i] = t_1;
}
