// ChaCha20 (RFC 8439): a block of the key stream to an invocation. The quarter round takes a
// pointer to the state and the places in it, which are constants once it is inlined.
struct Key {
  words: array<u32, 8>,
  counter: u32,
  nonce: array<u32, 3>,
}

@group(0) @binding(0) var<storage, read> key: Key;
@group(0) @binding(1) var<storage, read_write> blocks: array<array<u32, 16>>;

fn rotate(x: u32, n: u32) -> u32 {
  return (x << n) | (x >> (32u - n));
}

fn quarter(s: ptr<function, array<u32, 16>>, a: u32, b: u32, c: u32, d: u32) {
  s[a] += s[b];
  s[d] = rotate(s[d] ^ s[a], 16u);
  s[c] += s[d];
  s[b] = rotate(s[b] ^ s[c], 12u);
  s[a] += s[b];
  s[d] = rotate(s[d] ^ s[a], 8u);
  s[c] += s[d];
  s[b] = rotate(s[b] ^ s[c], 7u);
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&blocks) {
    return;
  }
  var first = array<u32, 16>(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  for (var i = 0u; i < 8u; i++) {
    first[4u + i] = key.words[i];
  }
  first[12] = key.counter + id.x;
  for (var i = 0u; i < 3u; i++) {
    first[13u + i] = key.nonce[i];
  }
  var s = first;
  for (var round = 0u; round < 10u; round++) {
    quarter(&s, 0u, 4u, 8u, 12u);
    quarter(&s, 1u, 5u, 9u, 13u);
    quarter(&s, 2u, 6u, 10u, 14u);
    quarter(&s, 3u, 7u, 11u, 15u);
    quarter(&s, 0u, 5u, 10u, 15u);
    quarter(&s, 1u, 6u, 11u, 12u);
    quarter(&s, 2u, 7u, 8u, 13u);
    quarter(&s, 3u, 4u, 9u, 14u);
  }
  for (var i = 0u; i < 16u; i++) {
    blocks[id.x][i] = s[i] + first[i];
  }
}
