// Division and remainder, signed and unsigned, scalar and vector: truncation
// towards zero, the remainder's sign, and the two cases in which WGSL defines
// what hardware does not: a zero divisor gives the dividend (remainder 0), and
// the least i32 by -1 gives itself (remainder 0).
@group(0) @binding(0) var<storage, read> dividends: array<i32>;
@group(0) @binding(1) var<storage, read> divisors: array<i32>;
@group(0) @binding(2) var<storage, read_write> signed_results: array<vec2i>;
@group(0) @binding(3) var<storage, read_write> unsigned_results: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> vector_results: array<vec4i>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x / arrayLength(&divisors);
  let j = id.x % arrayLength(&divisors);
  if i >= arrayLength(&dividends) {
    return;
  }
  let a = dividends[i];
  let b = divisors[j];
  signed_results[id.x] = vec2i(a / b, a % b);
  unsigned_results[id.x] = vec2u(bitcast<u32>(a) / bitcast<u32>(b), bitcast<u32>(a) % bitcast<u32>(b));
  // Vector by vector, vector by scalar, and a constant divisor.
  var v = vec4i(a, 7, a, a) / vec4i(b, b, 3, -1);
  v %= vec4i(1000, b, 17, 9);
  v += vec4i(a) % b;
  v.w -= a / 16;
  vector_results[id.x] = v;
}
