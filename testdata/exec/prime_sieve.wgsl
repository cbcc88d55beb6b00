// The sieve of Eratosthenes on bits: every invocation strikes the multiples of
// one candidate with atomicOr, and the survivors are counted in a second
// dispatch.
const limit = 3000u;

@group(0) @binding(0) var<storage, read_write> composite: array<atomic<u32>, (limit + 31) / 32>;
@group(0) @binding(1) var<storage, read_write> primes: atomic<u32>;

@compute @workgroup_size(16)
fn strike(@builtin(global_invocation_id) id: vec3u) {
  let p = id.x + 2u;
  for (var n = p * p; n < limit; n += p) {
    atomicOr(&composite[n / 32u], 1u << (n % 32u));
  }
}

@compute @workgroup_size(32)
fn tally(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= limit / 32u + 1u {
    return;
  }
  var word = ~atomicLoad(&composite[id.x]);
  if id.x == 0u {
    word &= ~3u; // 0 and 1 are not prime
  }
  let last = limit - id.x * 32u;
  if last < 32u {
    word &= (1u << last) - 1u;
  }
  atomicAdd(&primes, countOneBits(word));
}
