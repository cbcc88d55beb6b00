// Float builtins with one right answer: floor, ceil, trunc, round to even,
// fract of exact values, sign, abs, min, max, clamp, saturate, step, and
// comparisons. The results are compared bit by bit.
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<f32, 14>>;
@group(0) @binding(2) var<storage, read_write> orders: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let n = arrayLength(&data);
  if i >= n {
    return;
  }
  let x = data[i];
  let y = data[(i * 7u + 3u) % n];
  results[i] = array(
    floor(x),
    ceil(x),
    trunc(x),
    round(x),
    fract(x),
    sign(x),
    abs(x),
    min(x, y),
    max(x, y),
    clamp(x, -2.0, 2.5),
    saturate(x),
    step(y, x),
    -x,
    select(x, y, x < y),
  );
  let p = vec2f(x, y);
  let q = vec2f(y, x);
  orders[i] = dot(vec2u(p < q), vec2u(1u, 2u)) + 4u * u32(any(p == q)) + 8u * u32(all(p != q)) + 16u * u32(x >= y) + 32u * u32(!(x > y));
}
