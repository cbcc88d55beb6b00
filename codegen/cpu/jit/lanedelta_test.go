package jit

import "testing"

// deltas is a kernel whose lanes access words that are strided or seem so. They are after clamps
// and remainders that change some lanes, and in loops that lanes leave at different times. It
// does so forward and backward, in storage and in workgroup memory, for all lanes of a block and
// some. Its atomics name one word and several words, and use the results.
const deltas = `
struct Counts { plain: array<atomic<u32>, 5>, signed: array<atomic<i32>, 3> }
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: Counts;
var<workgroup> threes: array<array<u32, 3>, %[1]d>;
var<workgroup> fives: array<array<u32, 5>, %[1]d>;
var<workgroup> sums: array<atomic<u32>, 4>;
var<workgroup> least: atomic<i32>;
var<workgroup> most: atomic<i32>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = (group.y * 3u + group.x) * %[1]du + lane;
  let all = arrayLength(&in);
  var x = in[min(n + 3u, all - 1u)] ^ in[(n + all - 5u) %% all] ^ in[all - 1u - n];
  x = x * 3u + in[(2u * n) %% all];
  x = x * 3u + in[(3u * n + 1u) %% all];
  x = x * 3u + in[(4u * n + 2u) %% all];
  x = x * 3u + in[min(7u * lane, all - 1u)];
  x = x * 3u + in[clamp(i32(n) - 3, 0, i32(all) - 2)];
  threes[lane][0] = x;
  threes[lane][2] = x >> 3u;
  fives[lane][4] = x + 1u;
  if (x & 4u) != 0u {
    threes[lane][1] = x >> 1u;
    fives[lane][0] = in[(3u * n) %% all];
    x += in[(n + 1u) %% all];
    if (x & 64u) != 0u { atomicAdd(&counts.plain[0], x); }
  }
  if lane == 0u { atomicStore(&most, -0x7fffffff); }
  workgroupBarrier();
  x ^= threes[lane][1] + threes[(lane + 1u) %% %[1]du][2] * 5u + threes[%[1]du - 1u - lane][0];
  x ^= fives[lane][4] * 7u + fives[(lane + 3u) %% %[1]du][0];
  var i = n;
  for (; i < all - lane %% 3u; i += %[1]du) {
    x = x * 5u + in[i];
    if (x & 24u) == 0u { continue; }
    x ^= in[all - 1u - i];
  }
  x += i;
  var q = n;
  if (x & 8u) != 0u { q = n + 24u; }
  x = x * 5u + in[q];
  while q < all {
    x = x * 5u + in[q];
    if (x & 16u) == 0u {
      q += 8u;
      continue;
    }
    q += 2u * %[1]du;
  }
  for (var k = lane; k < 40u; k += 9u) { atomicAdd(&sums[k & 3u], x >> 16u); }
  atomicSub(&counts.plain[1], x & 0xffffu);
  atomicOr(&counts.plain[2], 1u << (x & 31u));
  atomicXor(&counts.plain[3], x);
  atomicMax(&counts.plain[4], x);
  atomicMin(&counts.signed[0], i32(x));
  if (x & 1u) == 1u {
    atomicMax(&counts.signed[1], i32(x));
    atomicAnd(&counts.signed[2], i32(x | 0xff00ffu));
    atomicMin(&least, i32(x));
    atomicMax(&most, -i32(x >> 1u));
  }
  atomicAdd(&sums[0], 5u);
  workgroupBarrier();
  out[n] = x ^ atomicLoad(&sums[lane & 3u]) ^ u32(atomicLoad(&least)) ^ u32(atomicLoad(&most));
  if (x & 3u) == 2u { out[(n * 1u + 0u) %% all] += atomicAdd(&sums[lane & 3u], 0u); }
}
`

// TestApart compares what it leaves with what package interp does.
func TestApart(t *testing.T) {
	needCode(t)
	testSizes(t, deltas)
}
