// Integers wrap: sums, differences, products, negation and abs of the least
// i32; shifts take the count modulo 32 at run time, and a right shift of i32
// keeps the sign; min, max, clamp and comparisons differ between i32 and u32.
@group(0) @binding(0) var<storage, read> data: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> unsigned_results: array<array<u32, 12>>;
@group(0) @binding(2) var<storage, read_write> signed_results: array<array<i32, 12>>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let a = data[i].x;
  let b = data[i].y;
  var u: array<u32, 12>;
  u[0] = a + b;
  u[1] = a - b;
  u[2] = a * b;
  u[3] = a << b;
  u[4] = a >> b;
  u[5] = min(a, b);
  u[6] = max(a, b);
  u[7] = clamp(a, 1000u, 0xf0000000u);
  u[8] = u32(a < b) | (u32(a <= b) << 1u) | (u32(a == b) << 2u) | (u32(a > b) << 3u);
  u[9] = ~(a & b) ^ (a | b);
  u[10] = (a << 5u) - (a >> 27u);
  u[11] = abs(a) - 1u;
  unsigned_results[i] = u;

  let x = bitcast<i32>(a);
  let y = bitcast<i32>(b);
  var s: array<i32, 12>;
  s[0] = x + y;
  s[1] = x - y;
  s[2] = x * y;
  s[3] = x << b;
  s[4] = x >> b;
  s[5] = min(x, y);
  s[6] = max(x, y);
  s[7] = clamp(x, -1000, 0x70000000);
  s[8] = i32(x < y) | (i32(x <= y) << 1u) | (i32(x == y) << 2u) | (i32(x > y) << 3u);
  s[9] = -x;
  s[10] = abs(x);
  s[11] = sign(x) * 3 + sign(y);
  signed_results[i] = s;
}
