// Numbers taken apart and put together: frexp and modf with their result
// structs and ldexp, all exact; and rounding to f16 and back, whose direction
// WGSL leaves open.
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
  let parts = frexp(x);
  let pair = frexp(vec2f(x * 0.5, 3.0));
  let whole = modf(x);
  let halves = modf(vec3f(x * 0.25, -2.5, 7.0));
  exponents[i] = vec2i(parts.exp, pair.exp.x * 100 + pair.exp.y);
  results[i] = array(
    parts.fract,
    pair.fract.x + pair.fract.y,
    whole.fract,
    whole.whole,
    halves.fract.x + halves.whole.y + halves.fract.y,
    ldexp(parts.fract, parts.exp),
    ldexp(vec2f(x, 1.5), vec2i(3, -2)).x,
  );
  rounded[i] = quantizeToF16(clamp(x, -60000.0, 60000.0));
}
