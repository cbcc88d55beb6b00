// How many turns each point of a part of the plane takes to leave, at most 256.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read_write> turns: array<u32>;

var<immediate> width: u32;

@compute @workgroup_size(16, 16)
fn mandelbrot(@builtin(global_invocation_id) id: vec3u) {
  let cx = -2 + 3 * f32(id.x) / f32(width);
  let cy = -1.5 + 3 * f32(id.y) / f32(width);
  var x = 0.0;
  var y = 0.0;
  var k = 0u;
  while k < 256 && x * x + y * y < 4 {
    let next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    k++;
  }
  turns[id.y * width + id.x] = k;
}
