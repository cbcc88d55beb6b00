// The Mandelbrot set: one invocation computes one pixel, packed into a number.
override limit: u32 = 100; // steps after which a point counts as a member
override span: f32 = 2.6;

@group(0) @binding(0) var<storage, read_write> image: array<u32>;

const size = vec2u(256, 256);

// A smooth colour for how long a point took to escape.
fn colour(steps: f32) -> vec3f {
  return 0.5 + 0.5 * cos(0.08 * steps + vec3f(3.0, 3.6, 4.2));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= size) {
    return;
  }
  let scale = span / f32(size.y);
  let c = vec2f(-0.65, 0.0) + scale * (vec2f(id.xy) + 0.5 - 0.5 * vec2f(size));
  var z = vec2f(0.0);
  var steps = 0u;
  while steps < limit && dot(z, z) < 64.0 {
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    steps++;
  }
  var rgb = vec3f(0.0);
  if steps < limit {
    // the fraction by which the last step overshot makes the bands vanish
    rgb = colour(f32(steps) + 1.0 - log2(0.5 * log2(dot(z, z))));
  }
  image[id.y * size.x + id.x] = pack4x8unorm(vec4f(rgb, 1.0));
}
