// A 256-point Fourier transform in workgroup memory, radix 2, one butterfly per
// invocation and stage: bit-reversed loads, complex products, cos and sin.
const points = 256u;
const size = points / 2u;
const turn = 6.283185307179586;

@group(0) @binding(0) var<storage, read> signal: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> spectrum: array<vec2f>;

var<workgroup> values: array<vec2f, points>;

fn complex_product(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(size)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let base = group.x * points;
  for (var i = local; i < points; i += size) {
    values[reverseBits(i) >> 24u] = signal[base + i];
  }
  workgroupBarrier();
  for (var half = 1u; half < points; half *= 2u) {
    let inside = local & (half - 1u);
    let low = 2u * local - inside;
    let angle = -turn * f32(inside) / f32(2u * half);
    let a = values[low];
    let b = complex_product(values[low + half], vec2f(cos(angle), sin(angle)));
    values[low] = a + b;
    values[low + half] = a - b;
    workgroupBarrier();
  }
  for (var i = local; i < points; i += size) {
    spectrum[base + i] = values[i];
  }
}
