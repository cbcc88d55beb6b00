// BLAKE2s (RFC 7693) of messages of up to 64 bytes. Helpers pass pointers on: to a structure of
// arrays, to a member of it, and in a private variable that none is passed.
struct State {
  v: array<u32, 16>,
  m: array<u32, 16>,
}

@group(0) @binding(0) var<storage, read> messages: array<array<u32, 16>>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read_write> digests: array<array<u32, 8>>;

const initial = array<u32, 8>(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const orders = array<array<u32, 16>, 10>(
  array(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
  array(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
  array(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
  array(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
  array(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
  array(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
  array(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
  array(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
  array(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
  array(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0));

var<private> hash: array<u32, 8>;

fn rotate(x: u32, n: u32) -> u32 {
  return (x >> n) | (x << (32u - n));
}

fn mixed(v: ptr<function, array<u32, 16>>, a: u32, b: u32, c: u32, d: u32, x: u32, y: u32) {
  v[a] += v[b] + x;
  v[d] = rotate(v[d] ^ v[a], 16u);
  v[c] += v[d];
  v[b] = rotate(v[b] ^ v[c], 12u);
  v[a] += v[b] + y;
  v[d] = rotate(v[d] ^ v[a], 8u);
  v[c] += v[d];
  v[b] = rotate(v[b] ^ v[c], 7u);
}

fn round(s: ptr<function, State>, r: u32) {
  mixed(&s.v, 0u, 4u, 8u, 12u, s.m[orders[r][0]], s.m[orders[r][1]]);
  mixed(&s.v, 1u, 5u, 9u, 13u, s.m[orders[r][2]], s.m[orders[r][3]]);
  mixed(&s.v, 2u, 6u, 10u, 14u, s.m[orders[r][4]], s.m[orders[r][5]]);
  mixed(&s.v, 3u, 7u, 11u, 15u, s.m[orders[r][6]], s.m[orders[r][7]]);
  mixed(&s.v, 0u, 5u, 10u, 15u, s.m[orders[r][8]], s.m[orders[r][9]]);
  mixed(&s.v, 1u, 6u, 11u, 12u, s.m[orders[r][10]], s.m[orders[r][11]]);
  mixed(&s.v, 2u, 7u, 8u, 13u, s.m[orders[r][12]], s.m[orders[r][13]]);
  mixed(&s.v, 3u, 4u, 9u, 14u, s.m[orders[r][14]], s.m[orders[r][15]]);
}

fn absorb(s: ptr<function, State>, length: u32) {
  for (var i = 0u; i < 8u; i++) {
    s.v[i] = hash[i];
    s.v[8u + i] = initial[i];
  }
  s.v[12] ^= length;
  s.v[14] = ~s.v[14];
  for (var r = 0u; r < 10u; r++) {
    round(s, r);
  }
  for (var i = 0u; i < 8u; i++) {
    hash[i] ^= s.v[i] ^ s.v[8u + i];
  }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&lengths) {
    return;
  }
  hash = initial;
  hash[0] ^= 0x01010020u;
  var s: State;
  s.m = messages[id.x];
  absorb(&s, lengths[id.x]);
  digests[id.x] = hash;
}
