// Iteration counts of the Mandelbrot set. The loop runs differently in every
// invocation and one contracted multiply-add changes counts near the border of
// the set, so this is the case that shows strict arithmetic to be strict. All
// steps are dyadic: the coordinates themselves are exact.
override limit: u32 = 100;

const width = 61u;
const height = 45u;

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= width || id.y >= height {
    return;
  }
  let c = vec2f(f32(id.x) * 0.046875 - 2.0, f32(id.y) * 0.046875 - 1.03125);
  var z = vec2f();
  var n = 0u;
  while n < limit {
    let xx = z.x * z.x;
    let yy = z.y * z.y;
    if xx + yy > 4.0 {
      break;
    }
    z = vec2f(xx - yy + c.x, 2.0 * z.x * z.y + c.y);
    n++;
  }
  counts[id.y * width + id.x] = n;
}
