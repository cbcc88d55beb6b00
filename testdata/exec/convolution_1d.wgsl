// A convolution with a filter in a uniform array, the signal staged in workgroup
// memory with its halo. Integers in f32: exact in every order.
const size = 64u;
const radius = 5u;

@group(0) @binding(0) var<uniform> weights: array<vec4f, 3>; // 11 weights, then a scale
@group(0) @binding(1) var<storage, read> signal: array<f32>;
@group(0) @binding(2) var<storage, read_write> filtered: array<f32>;

var<workgroup> window: array<f32, size + 2 * radius>;

@compute @workgroup_size(size)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let base = group.x * size;
  for (var i = local; i < size + 2u * radius; i += size) {
    let at = base + i;
    var value = 0.0;
    if at >= radius && at - radius < arrayLength(&signal) {
      value = signal[at - radius];
    }
    window[i] = value;
  }
  workgroupBarrier();
  if base + local >= arrayLength(&filtered) {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k <= 2u * radius; k++) {
    sum += weights[k / 4u][k % 4u] * window[local + k];
  }
  filtered[base + local] = sum * weights[2].w;
}
