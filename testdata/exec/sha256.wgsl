// SHA-256 (FIPS 180-4) of one message per invocation: rotations, wrapping
// addition, a table of constants indexed in a loop, and a private schedule used
// as a ring of sixteen words. Padding is done here, byte by byte.
struct Message {
  start: u32, // in bytes
  length: u32,
}

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> messages: array<Message>;
@group(0) @binding(2) var<storage, read_write> digests: array<array<u32, 8>>;

const round_constants = array(
  0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
  0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
  0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
  0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
  0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
  0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
  0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
  0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
);

fn rotate(x: u32, n: u32) -> u32 {
  return (x >> n) | (x << (32u - n));
}

fn byte_of(m: Message, i: u32) -> u32 {
  if i < m.length {
    let at = m.start + i;
    return (text[at / 4u] >> (at % 4u * 8u)) & 255u;
  }
  return select(0u, 0x80u, i == m.length);
}

fn word_of(m: Message, block: u32, word: u32, blocks: u32) -> u32 {
  if block == blocks - 1u && word >= 14u {
    return select(m.length >> 29u, m.length << 3u, word == 15u);
  }
  let at = block * 64u + word * 4u;
  return (byte_of(m, at) << 24u) | (byte_of(m, at + 1u) << 16u) | (byte_of(m, at + 2u) << 8u) | byte_of(m, at + 3u);
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&messages) {
    return;
  }
  let m = messages[id.x];
  var state = array<u32, 8>(
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
  let blocks = (m.length + 8u) / 64u + 1u;
  for (var block = 0u; block < blocks; block++) {
    var schedule: array<u32, 16>;
    var s = state;
    for (var i = 0u; i < 64u; i++) {
      var w: u32;
      if i < 16u {
        w = word_of(m, block, i, blocks);
      } else {
        let a = schedule[(i + 1u) % 16u];
        let b = schedule[(i + 14u) % 16u];
        w = schedule[i % 16u] + schedule[(i + 9u) % 16u]
          + (rotate(a, 7u) ^ rotate(a, 18u) ^ (a >> 3u))
          + (rotate(b, 17u) ^ rotate(b, 19u) ^ (b >> 10u));
      }
      schedule[i % 16u] = w;
      let e = s[4];
      let choice = (e & s[5]) ^ (~e & s[6]);
      let t = s[7] + (rotate(e, 6u) ^ rotate(e, 11u) ^ rotate(e, 25u)) + choice + round_constants[i] + w;
      let a = s[0];
      let majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
      let u = (rotate(a, 2u) ^ rotate(a, 13u) ^ rotate(a, 22u)) + majority;
      for (var j = 7u; j > 0u; j--) {
        s[j] = s[j - 1u];
      }
      s[4] += t;
      s[0] = t + u;
    }
    for (var i = 0; i < 8; i++) {
      state[i] += s[i];
    }
  }
  digests[id.x] = state;
}
