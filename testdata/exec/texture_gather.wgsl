// Four texels at once: every channel of an integer texture, with and without an
// offset, and the highest of four heights in each layer of an array.
@group(0) @binding(0) var counts: texture_2d<u32>;
@group(0) @binding(1) var heights: texture_2d_array<f32>;
@group(0) @binding(2) var nearest: sampler;
@group(0) @binding(3) var<storage, read_write> gathered: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> highest: array<vec2f>;

const size = vec2u(8, 6); // the corners of 7 × 5 texels

@compute @workgroup_size(4, 3)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let uv = vec2f(id.xy) / vec2f(textureDimensions(counts));
  let i = id.y * size.x + id.x;
  gathered[5 * i] = textureGather(0, counts, nearest, uv);
  gathered[5 * i + 1] = textureGather(1, counts, nearest, uv);
  gathered[5 * i + 2] = textureGather(2, counts, nearest, uv);
  gathered[5 * i + 3] = textureGather(3, counts, nearest, uv);
  gathered[5 * i + 4] = textureGather(1, counts, nearest, uv, vec2i(1, -2));
  for (var layer = 0; layer < 2; layer++) {
    let four = textureGather(0, heights, nearest, uv, layer);
    highest[i][layer] = max(max(four.x, four.y), max(four.z, four.w));
  }
}
