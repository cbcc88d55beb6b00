// A convolution with 3×3 weights; beyond the edge there are zeros.
requires immediate_address_space;

struct Size { width: i32, height: i32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;

var<immediate> size: Size;

@compute @workgroup_size(16, 16)
fn conv3x3(@builtin(global_invocation_id) id: vec3u) {
  let x = i32(id.x);
  let y = i32(id.y);
  if x >= size.width || y >= size.height {
    return;
  }
  var sum = 0.0;
  for (var dy = -1; dy <= 1; dy++) {
    for (var dx = -1; dx <= 1; dx++) {
      let u = x + dx;
      let v = y + dy;
      if u >= 0 && u < size.width && v >= 0 && v < size.height {
        sum += weights[(dy + 1) * 3 + dx + 1] * a[v * size.width + u];
      }
    }
  }
  b[y * size.width + x] = sum;
}
