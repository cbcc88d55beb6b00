// Structs and arrays are values: returned from functions, passed by value,
// copied by assignment, compared member by member, and changed without changing
// the original. Value constructors of every shape, zero values included.
struct Pair {
  key: u32,
  values: array<u32, 3>,
}

struct Nest {
  pairs: array<Pair, 2>,
  extra: vec3u,
}

@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 10>>;

fn make(key: u32) -> Pair {
  return Pair(key, array<u32, 3>(key * 2u, key * 3u, key * 5u));
}

fn rotated(values: array<u32, 3>) -> array<u32, 3> {
  return array(values[1], values[2], values[0]);
}

fn changed(p: Pair) -> Pair {
  var copy = p;
  copy.key += 1000u;
  copy.values = rotated(copy.values);
  return copy;
}

fn sum(p: Pair) -> u32 {
  return p.key + p.values[0] * 2u + p.values[1] * 4u + p.values[2] * 8u;
}

fn nest(i: u32) -> Nest {
  var n = Nest();
  n.pairs[i & 1u] = make(i);
  n.extra = vec3u(i, vec2u(n.pairs[0].key, n.pairs[1].key));
  return n;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let original = make(i);
  let other = changed(original);
  var a = original;
  var b = a;
  b.values[i % 3u] = 77u;
  a.key = 5u;
  let n = nest(i);
  var m = n;
  m.pairs = array<Pair, 2>(n.pairs[1], n.pairs[0]);
  m.extra[i % 3u] += 1u;
  var r: array<u32, 10>;
  r[0] = sum(original);
  r[1] = sum(other);
  r[2] = sum(a);
  r[3] = sum(b);
  r[4] = sum(n.pairs[0]);
  r[5] = sum(m.pairs[0]);
  r[6] = n.extra.x + n.extra.y * 100u + n.extra.z * 10000u;
  r[7] = m.extra.x + m.extra.y * 100u + m.extra.z * 10000u;
  r[8] = rotated(rotated(original.values))[i % 3u];
  r[9] = make(i + 1u).values[1];
  results[i] = r;
}
