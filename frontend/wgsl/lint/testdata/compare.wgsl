// Comparisons that have one outcome, and those of rounded numbers.

override limit = 3u;
struct Pair { a: u32, b: u32 }

fn unsigned(i: u32, n: u32, s: i32) -> bool {
  var r = i >= 0u; // want "`i >= 0u` is always true [constant-comparison]"
  r = r || i < 0u; // want "`i < 0u` is always false [constant-comparison]"
  r = r || 0u <= i; // want "`0u <= i` is always true [constant-comparison]"
  r = r || 0u > i; // want "`0u > i` is always false [constant-comparison]"
  r = r || i <= 0u || i > 0u || 0u < i || 0u == i;
  r = r || i > 4294967295u; // want "`i > 4294967295u` is always false [constant-comparison]"
  r = r || i >= 4294967295u || i == 4294967295u;
  r = r || s >= 0 || s < 0 || s > 2147483646;
  r = r || s > 2147483647; // want "is always false [constant-comparison]"
  r = r || s >= -2147483648; // want "is always true [constant-comparison]"
  return r || limit >= 0u; // want "`limit >= 0u` is always true [constant-comparison]"
}
fn parts(i: u32, s: i32) -> bool {
  var r = (i & 3u) == 4u; // want "`(i & 3u) == 4u` is always false [constant-comparison]"
  r = r || (6u & i) == 1u; // want "is always false [constant-comparison]"
  r = r || (i & 6u) != 1u; // want "is always true [constant-comparison]"
  r = r || (i & 6u) == 4u || (i & 3u) < 3u || (s & -2) == 5;
  r = r || i % 4u == 4u; // want "is always false [constant-comparison]"
  r = r || i % 4u <= 3u; // want "is always true [constant-comparison]"
  r = r || i % 4u == 3u || s % 4 == -3;
  r = r || s % 4 == -4; // want "is always false [constant-comparison]"
  r = r || i >> 28u < 16u; // want "is always true [constant-comparison]"
  r = r || s >> 30u < -2; // want "is always false [constant-comparison]"
  r = r || s >> 30u < -1 || i >> 28u == 15u;
  return r;
}
fn itself(p: Pair, v: array<u32, 4>, x: f32, i: u32) -> bool {
  var r = p.a == p.a; // want "`p.a == p.a` is always true [constant-comparison]"
  r = r || v[i] < (v[i]); // want "is always false [constant-comparison]"
  r = r || x < x; // want "`x < x` is always false [constant-comparison]"
  r = r || x == x || x != x || x >= x; // asks for NaN
  return r || p.a == p.b || v[i] == v[0] || f32(i) < f32(i);
}
fn configured() -> bool {
  const debug = 0u;
  return debug >= 0u || 1u < 2u;
}
fn floats(a: f32, b: f32, v: vec3f, c: array<f32, 3>) -> bool {
  var r = a == 0.1; // want "this compares with `0.1`, which no f32 is [float-equality]"
  r = r || -0.3 != a; // want "this compares with `-0.3`, which no f32 is [float-equality]"
  r = r || a == 0.5 || a == 0 || a == 1.0 || a == b || v.x == max(v.y, v.z) || c[1] != c[2];
  r = r || a * b == c[0]; // want "rounding decides whether these floats are equal [float-equality]"
  r = r || c[0] == a / b; // want "rounding decides whether these floats are equal [float-equality]"
  r = r || length(v) != 1.0; // want "rounding decides whether these floats are equal [float-equality]"
  r = r || length(v) == 0.0 || dot(v, v) == 0.0 || a * b != 0;
  r = r || a * 2.0 == b || a / 4.0 == b || floor(a) == a || a + b == c[0];
  return r || a * 3.0 == b; // want "rounding decides whether these floats are equal [float-equality]"
}
