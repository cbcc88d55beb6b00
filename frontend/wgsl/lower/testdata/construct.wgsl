enable f16;

struct Pair {
  a: u32,
  b: vec2f,
}

@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> ints: array<i32>;

fn pair(x: f32) -> Pair {
  return Pair(u32(x), vec2f(x));
}

@compute @workgroup_size(1)
fn main() {
  let x = data[0];
  let i = ints[0];
  let v = vec4f(x, vec2f(x, 1.0), f32(i));
  let h = vec4h(v);
  let z = vec3u();
  let q = array<vec4f, 2>(v, vec4f(h));
  let w = vec4i(vec2i(i), vec2i(3, 4));
  data[1] = q[1].x + pair(x).b.y + f32(bool(i)) + f32(z.x) + v.wz.y;
  ints[1] = w.x + i32(h.x) + bitcast<i32>(x) + bitcast<i32>(i) + vec4i(w).y;
  var zero = Pair();
  zero = pair(zero.b.x);
}
