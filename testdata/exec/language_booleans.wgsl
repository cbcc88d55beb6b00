// bool as a value: vectors of bools with ! & | == and !=, select by scalar and
// by vector, any and all, bools in private arrays and structs, conversions, and
// comparisons of vectors of every numeric type.
struct Flags {
  low: bool,
  rest: vec3<bool>,
}

@group(0) @binding(0) var<storage, read> data: array<vec4i>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 7>>;

var<private> seen: array<bool, 4>;

fn bits(v: vec4<bool>) -> u32 {
  return dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), v), vec4u(1u));
}

fn flags(v: vec4<bool>) -> Flags {
  return Flags(v.x, v.yzw);
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let a = data[i];
  let b = data[i + 1u];
  let less = a < b;
  let odd = (a & vec4i(1)) == vec4i(1);
  seen[bitcast<u32>(a.x) & 3u] = true;
  seen[bitcast<u32>(b.x) & 3u] = !seen[1];
  var f = flags(less | odd);
  f.rest.y = !f.rest.y;
  let chosen = select(a, b, less);
  results[i] = array(
    bits(less),
    bits(less & !odd) * 16u + bits(less | odd),
    bits(less == odd) * 16u + bits(less != odd),
    u32(all(less)) + 2u * u32(any(less)) + 4u * u32(all(odd.xy)) + 8u * u32(any(!odd.zw)) + 16u * u32(any(less.x)),
    bitcast<u32>(chosen.x ^ chosen.y ^ chosen.z ^ chosen.w),
    bits(vec4<bool>(seen[0], seen[1], seen[2], seen[3])),
    bits(vec4<bool>(f.low, f.rest)) * 16u + bits(vec4<bool>(vec4f(a) >= vec4f(b))) + 256u * bits(vec4<bool>(a & vec4i(2))),
  );
}
