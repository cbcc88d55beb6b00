// Exponentials, logarithms, powers, roots and the hyperbolic functions with
// their inverses, within WGSL's bounds; vectors beside scalars.
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
  let x = data[i]; // in [0.0625, 8)
  powers[i] = vec4f(exp(x), exp2(vec2f(x, -x)), exp(-x));
  logarithms[i] = vec2f(log(x), log2(x));
  roots[i] = vec2f(sqrt(x), inverseSqrt(x));
  raised[i] = vec2f(pow(x, 2.5), pow(x, -0.5));
  hyperbolic[i] = vec4f(sinh(x * 0.5), cosh(x * 0.5), tanh(x), tanh(-x * 0.25));
  inverses[i] = vec4f(asinh(x), acosh(x + 1.0), atanh(x * 0.0625), atanh(-x * 0.125 * 0.875));
}
