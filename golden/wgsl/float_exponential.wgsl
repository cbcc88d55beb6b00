// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> powers: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> logarithms: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> roots: array<vec2f>;
@group(0) @binding(4) var<storage, read_write> raised: array<vec2f>;
@group(0) @binding(5) var<storage, read_write> hyperbolic: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> inverses: array<vec4f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let x = data[i];
  let t = -x;
  let t_1 = exp2(vec2f(x, t));
  powers[i] = vec4f(exp(x), t_1.x, t_1.y, exp(t));
  logarithms[i] = vec2f(log(x), log2(x));
  roots[i] = vec2f(sqrt(x), inverseSqrt(x));
  raised[i] = vec2f(pow(x, 2.5), pow(x, -0.5));
  let t_2 = x * 0.5;
  hyperbolic[i] = vec4f(sinh(t_2), cosh(t_2), tanh(x), tanh(t * 0.25));
  let t_3 = vec4f(asinh(x), acosh(x + 1.0), atanh(x * 0.0625), atanh(t * 0.125 * 0.875));
  inverses[i] = t_3;
}
