// Bilinear resizing by the sampler. The second entry point leaves the image on all
// sides: its sampler repeats, but the builtin clamps the coordinates before.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var clamping: sampler;
@group(0) @binding(2) var repeating: sampler;
@group(0) @binding(3) var<storage, read_write> resized: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> framed: array<vec4f>;

const size = vec2u(45, 37);

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if all(id.xy < size) {
    let uv = (vec2f(id.xy) + 0.5) / vec2f(size);
    resized[id.y * size.x + id.x] = textureSampleLevel(source, clamping, uv, 0);
  }
}

@compute @workgroup_size(8, 8)
fn frame(@builtin(global_invocation_id) id: vec3u) {
  if all(id.xy < size) {
    let uv = (vec2f(id.xy) - 4.5) / vec2f(size - 10);
    framed[id.y * size.x + id.x] = textureSampleBaseClampToEdge(source, repeating, uv);
  }
}
