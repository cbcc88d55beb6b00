// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<f32, 7>>;
@group(0) @binding(2) var<storage, read_write> exponents: array<vec2i>;
@group(0) @binding(3) var<storage, read_write> rounded: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let x = data[i];
  let fract = frexp(x).fract;
  let exp = frexp(x).exp;
  let t = vec2f(x * 0.5, 3.0);
  let fract_1 = frexp(t).fract;
  let exp_1 = frexp(t).exp;
  let t_1 = trunc(x);
  let t_2 = vec3f(x * 0.25, -2.5, 7.0);
  let t_3 = trunc(t_2);
  let t_4 = t_2 - t_3;
  exponents[i] = vec2i(exp, exp_1.x * 100 + exp_1.y);
  let t_5 = array<f32, 7>(fract, fract_1.x + fract_1.y, x - t_1, t_1, t_4.x + t_3.y + t_4.y, ldexp(fract, exp), ldexp(vec2f(x, 1.5), vec2i(3, -2)).x);
  results[i] = t_5;
  rounded[i] = quantizeToF16(clamp(x, -60000.0, 60000.0));
}
