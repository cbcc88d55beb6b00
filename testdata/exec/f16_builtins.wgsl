// Builtins on f16: the exact ones bit by bit, the others within WGSL's bounds
// for f16, literals with the suffix h, constants, and conversions that round.
enable f16;

const third = 1.0h / 3.0h;

@group(0) @binding(0) var<storage, read> data: array<f16>;
@group(0) @binding(1) var<storage, read_write> exact: array<vec4h>;
@group(0) @binding(2) var<storage, read_write> bounded: array<vec4h>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let x = data[i]; // in [-4, 4]
  exact[i] = vec4h(floor(x), clamp(x, -1.5h, 2.0h), select(-x, abs(x), x < 0), trunc(x * 2.0h)) + vec4h(0, 0, 0, step(1.0h, x));
  let y = abs(x) + 0.25h;
  bounded[i] = vec4h(sqrt(y), exp2(x), x / y, sin(x * 0.5h)) + vec4h(third);
}
