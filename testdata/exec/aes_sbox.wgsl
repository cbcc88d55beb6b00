// The byte substitution and row shift of AES (FIPS 197), forward with a table
// of constants indexed by data, backward with the inverse that every workgroup
// derives from it.
const sbox = array<u32, 64>(
  0x7b777c63, 0xc56f6bf2, 0x2b670130, 0x76abd7fe, 0x7dc982ca, 0xf04759fa, 0xafa2d4ad, 0xc072a49c,
  0x2693fdb7, 0xccf73f36, 0xf1e5a534, 0x1531d871, 0xc323c704, 0x9a059618, 0xe2801207, 0x75b227eb,
  0x1a2c8309, 0xa05a6e1b, 0xb3d63b52, 0x842fe329, 0xed00d153, 0x5bb1fc20, 0x39becb6a, 0xcf584c4a,
  0xfbaaefd0, 0x85334d43, 0x7f02f945, 0xa89f3c50, 0x8f40a351, 0xf5389d92, 0x21dab6bc, 0xd2f3ff10,
  0xec130ccd, 0x1744975f, 0x3d7ea7c4, 0x73195d64, 0xdc4f8160, 0x88902a22, 0x14b8ee46, 0xdb0b5ede,
  0x0a3a32e0, 0x5c240649, 0x62acd3c2, 0x79e49591, 0x6d37c8e7, 0xa94ed58d, 0xeaf4566c, 0x08ae7a65,
  0x2e2578ba, 0xc6b4a61c, 0x1f74dde8, 0x8a8bbd4b, 0x66b53e70, 0x0ef60348, 0xb9573561, 0x9e1dc186,
  0x1198f8e1, 0x948ed969, 0xe9871e9b, 0xdf2855ce, 0x0d89a18c, 0x6842e6bf, 0x0f2d9941, 0x16bb54b0,
);

@group(0) @binding(0) var<storage, read> blocks: array<vec4u>; // a column in each component
@group(0) @binding(1) var<storage, read_write> substituted: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> restored: array<vec4u>;

var<workgroup> inverse: array<u32, 256>;

fn substitute(byte: u32) -> u32 {
  return extractBits(sbox[byte / 4], byte % 4 * 8, 8);
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var i = local; i < 256; i += 8) {
    inverse[substitute(i)] = i;
  }
  workgroupBarrier();
  if id.x >= arrayLength(&blocks) {
    return;
  }
  let block = blocks[id.x];
  var shifted: vec4u;
  for (var column = 0u; column < 4; column++) {
    for (var row = 0u; row < 4; row++) {
      let byte = extractBits(block[(column + row) % 4], row * 8, 8);
      shifted[column] = insertBits(shifted[column], substitute(byte), row * 8, 8);
    }
  }
  substituted[id.x] = shifted;
  var back: vec4u;
  for (var column = 0u; column < 4; column++) {
    for (var row = 0u; row < 4; row++) {
      let byte = extractBits(shifted[column], row * 8, 8);
      back[(column + row) & 3] |= inverse[byte] << (row * 8);
    }
  }
  restored[id.x] = back;
}
