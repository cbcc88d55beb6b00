package jit

// meeting has all operations of subgroups, where all invocations come, and where a part of them
// does. Those are after comparisons, in loops that they leave at different times, and after an
// early return. Source lanes are constant, uniform and varying; some do not exist, and some are not
// active. Paths are uniform in a subgroup.
const meeting = `
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;

@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
    @builtin(subgroup_id) subgroup: u32, @builtin(subgroup_invocation_id) own: u32) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let x = in[n];
  shared_words[lane] = x;
  workgroupBarrier();
  var sum = 0u;
  for (var k = 0u; k < 5u; k++) {
    let v = x ^ (k * 0x01010101u);
    if (k == 1u && subgroup != 1u) || (k == 2u && (x & 1u) == 0u) || (k == 3u && (x & 6u) != 2u) || (k == 4u && lane + 3u > %[1]du) { continue; }
    let y = bitcast<i32>(v * 0x9E3779B9u);
    sum += u32(subgroupElect()) + subgroupAdd(v) * 3u + subgroupMul(v | 1u) * 5u;
    sum = sum * 7u + subgroupInclusiveAdd(v) + subgroupInclusiveMul(v | 1u) * 3u;
    sum = sum * 7u + subgroupExclusiveAdd(v) + subgroupExclusiveMul(v | 1u) * 3u;
    sum = sum * 7u + subgroupMin(v) + subgroupMax(v) * 3u + bitcast<u32>(subgroupMin(y)) + bitcast<u32>(subgroupMax(y)) * 3u;
    sum = sum * 7u + subgroupAnd(v | 7u) + subgroupOr(v & 0xFF00FFu) * 3u + subgroupXor(v) * 5u;
    let ballot = subgroupBallot((v & 5u) == 4u);
    sum = sum * 7u + ballot.x + ballot.y + ballot.w + u32(subgroupAll(v > 9u)) + u32(subgroupAny(v < 9u)) * 2u;
    let pair = subgroupBroadcastFirst(vec2u(v, own));
    sum = sum * 7u + pair.x + pair.y + subgroupBroadcast(v, 0u) + subgroupBroadcast(v, 13u) * 3u;
    sum = sum * 7u + subgroupShuffle(v, 3u) + subgroupShuffle(v, v >> 3u) + subgroupShuffle(v, v & 31u) * 3u + subgroupShuffle(v, subgroupMin(v) & 31u) * 5u;
    sum = sum * 7u + subgroupShuffleXor(v, 1u) + subgroupShuffleXor(v, 9u) * 3u + subgroupShuffleXor(v, v & 63u) * 5u;
    sum = sum * 7u + subgroupShuffleUp(v, 1u) + subgroupShuffleUp(v, 11u) * 3u + subgroupShuffleUp(v, v & 63u) * 5u + subgroupShuffleUp(v, v);
    sum = sum * 7u + subgroupShuffleDown(v, 1u) + subgroupShuffleDown(v, 11u) * 3u + subgroupShuffleDown(v, v & 63u) * 5u + subgroupShuffleDown(v, ~v);
    sum = sum * 7u + quadBroadcast(v, 2u) + quadSwapX(v) * 3u + quadSwapY(v) * 5u + quadSwapDiagonal(v);
    sum ^= bitcast<u32>(subgroupShuffleXor(bitcast<f32>(v), 3u));
  }
  workgroupBarrier();
  if subgroup == 1u { // all of a subgroup, and none of others
    sum = sum * 3u + subgroupAdd(x ^ in[subgroup]) + shared_words[subgroup];
  } else if subgroup > 2u {
    for (var k = 0u; k < subgroup; k++) { sum += subgroupAdd(x + k) + in[subgroup + k]; }
  }
  for (var k = 0u; k < (x & 7u); k++) {
    sum = sum * 3u + subgroupBroadcastFirst(sum) + subgroupShuffleUp(k, 1u);
    if (sum & 3u) == 3u { continue; }
    if subgroupAny((sum & 63u) == 17u) { break; }
  }
  workgroupBarrier();
  out[n] = sum;
  if (x & 48u) == 48u { return; }
  let many = countOneBits(subgroupBallot(true));
  if subgroupElect() { atomicAdd(&counts[subgroup & 7u], many.x + group.x); }
  for (var k = 0u; k < many.x; k += 5u) { sum += subgroupShuffle(sum, k) ^ in[many.x + k]; }
  out[n] = sum;
}
`

// sides has lanes that store vectors of two and four words side by side: all of them, and a part;
// numbers among them that are none.
const sides = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> pairs: array<vec2f, %[1]d>;
var<workgroup> fours: array<vec4u, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  if group.x + group.y != 0u { return; }
  let x = in[lane];
  pairs[lane] = vec2f(bitcast<f32>(x) + 1.0, f32(x) / f32(x & 2u));
  if (x & 4u) == 0u { pairs[lane] = vec2f(sqrt(bitcast<f32>(x)), 3.0); }
  fours[lane] = vec4u(x, lane, x * 3u, x ^ lane);
  if (x & 24u) == 0u { fours[lane] = vec4u(1u, x, 2u, lane); }
  workgroupBarrier();
  let other = pairs[(lane * 5u + 3u) %% %[1]du];
  let four = fours[(lane * 7u + 1u) %% %[1]du];
  out[lane] = vec4f(other, bitcast<f32>(four.x) * 0.5, f32(four.y) + f32(four.z ^ four.w));
  if (x & 32u) == 0u { out[lane] = vec4f(other.y, 7.0, other.x - other.y, f32(lane)); }
  atomicAdd(&counts[lane & 7u], x & 1u);
}
`
