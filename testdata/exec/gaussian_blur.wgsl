// A separable blur: the same function with another direction in each of two
// entry points, taps in a const array, packed pixels through unpack4x8unorm.
const width = 45i;
const height = 33i;
const taps = array<f32, 4>(0.28125, 0.21875, 0.109375, 0.03125); // they sum to 1

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> rows: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> blurred: array<vec4f>;

@compute @workgroup_size(16, 4)
fn horizontal(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  if at.x >= width || at.y >= height {
    return;
  }
  var sum = vec4f();
  for (var i = -3; i <= 3; i++) {
    let x = clamp(at.x + i, 0, width - 1);
    sum += taps[abs(i)] * unpack4x8unorm(pixels[at.y * width + x]);
  }
  rows[at.y * width + at.x] = sum;
}

@compute @workgroup_size(4, 16)
fn vertical(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  if at.x >= width || at.y >= height {
    return;
  }
  var sum = rows[at.y * width + at.x] * taps[0];
  for (var i = 1; i < 4; i++) {
    let above = rows[max(at.y - i, 0) * width + at.x];
    let below = rows[min(at.y + i, height - 1) * width + at.x];
    sum += (above + below) * taps[i];
  }
  blurred[at.y * width + at.x] = sum;
}
