// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> dividends: array<i32>;
@group(0) @binding(1) var<storage, read> divisors: array<i32>;
@group(0) @binding(2) var<storage, read_write> signed_results: array<vec2i>;
@group(0) @binding(3) var<storage, read_write> unsigned_results: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> vector_results: array<vec4i>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let t = arrayLength(&divisors);
  let i = id.x / t;
  let j = id.x % t;
  if i >= arrayLength(&dividends) {
    return;
  }
  let a = dividends[i];
  let b = divisors[j];
  signed_results[id.x] = vec2i(a / b, a % b);
  let t_1 = bitcast<u32>(a);
  let t_2 = bitcast<u32>(b);
  unsigned_results[id.x] = vec2u(t_1 / t_2, t_1 % t_2);
  let v = vec4i(a, 7, a, a) / vec4i(b, b, 3, -1);
  let v_1 = v % vec4i(1000, b, 17, 9);
  let v_2 = v_1 + vec4i(a) % b;
  var v_3 = v_2;
  v_3.w = v_2.w - a / 16;
  vector_results[id.x] = v_3;
}
