// Mistakes with their fixes: see Problems, and apply the fixes.
@group(0) @binding(0) var<storage, read_write> colours: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(colours) {
    let brightness = f32(i) / 255;
    colours[i] = vec4f(vec3f(brightnes), 1.0);
  }
}
