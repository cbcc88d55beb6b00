// The rows' pass of a separable convolution with 17 weights: 256 pixels of a row and
// eight on each side in workgroup memory. The width is a multiple of 256.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;

var<immediate> width: i32;

var<workgroup> tile: array<f32, 272>;

@compute @workgroup_size(256)
fn separable(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
  let row = i32(g.y) * width;
  let first = i32(g.x) * 256 - 8;
  for (var i = t; i < 272; i += 256) {
    tile[i] = a[row + clamp(first + i32(i), 0, width - 1)];
  }
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < 17; k++) {
    sum += weights[k] * tile[t + k];
  }
  b[row + first + 8 + i32(t)] = sum;
}
