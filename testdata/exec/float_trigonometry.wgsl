// sin, cos and tan on [-π, π] and their inverses, within the bounds of WGSL's
// table of accuracy; atan2 in all four quadrants.
@group(0) @binding(0) var<storage, read> angles: array<f32>;
@group(0) @binding(1) var<storage, read_write> waves: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> slopes: array<f32>;
@group(0) @binding(3) var<storage, read_write> arcs: array<vec2f>;
@group(0) @binding(4) var<storage, read_write> quadrants: array<vec2f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&angles) {
    return;
  }
  let x = angles[i];
  waves[i] = vec2f(sin(x), cos(x));
  slopes[i] = tan(x * 0.25);
  let y = x / 3.25; // within [-1, 1]
  arcs[i] = vec2f(asin(y), acos(y));
  quadrants[i] = vec2f(atan(x * 3.0), atan2(x, 1.5 - abs(x)));
}
