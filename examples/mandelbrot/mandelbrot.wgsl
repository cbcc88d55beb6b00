// Draws the Mandelbrot set.
//
//   gpuc run examples/mandelbrot/mandelbrot.wgsl -bind 'image=zeros(262144)' \
//       -extent 512,512 -out image=mandelbrot.png:512x512
//
// -D width=1024 and so on choose another picture; limit is the number of steps
// after which a point counts as a member.

override width: u32 = 512;
override height: u32 = 512;
override limit: u32 = 256;
override centre_x: f32 = -0.65;
override centre_y: f32 = 0.0;
override span: f32 = 2.6;

@group(0) @binding(0) var<storage, read_write> image: array<u32>;

// A smooth colour for how long a point took to escape.
fn colour(steps: f32) -> vec3f {
  let phase = 0.05 * steps + vec3f(3.0, 3.6, 4.2);
  return 0.5 + 0.5 * cos(phase);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= width || id.y >= height) {
    return;
  }
  let scale = span / f32(height);
  let c = vec2f(centre_x, centre_y)
    + scale * (vec2f(id.xy) + 0.5 - 0.5 * vec2f(f32(width), f32(height)));
  var z = vec2f(0);
  var steps = 0u;
  while (steps < limit && dot(z, z) < 64.0) {
    z = vec2f(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    steps++;
  }
  var rgb = vec3f(0);
  if (steps < limit) {
    // the fraction by which the last step overshot makes the bands vanish
    let smooth_steps = f32(steps) + 1.0 - log2(0.5 * log2(dot(z, z)));
    rgb = colour(smooth_steps);
  }
  image[id.y * width + id.x] = pack4x8unorm(vec4f(rgb, 1));
}
