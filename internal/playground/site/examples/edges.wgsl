// The edges of a picture: the Sobel operator on its brightness, from one texture into another.
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var edges: texture_storage_2d<rgba8unorm, write>;

fn brightness(place: vec2i) -> f32 {
  let last = vec2i(textureDimensions(photo)) - 1;
  let texel = textureLoad(photo, clamp(place, vec2i(0), last), 0);
  return dot(texel.rgb, vec3f(0.2126, 0.7152, 0.0722));
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= textureDimensions(edges)) {
    return;
  }
  let at = vec2i(id.xy);
  var gradient = vec2f(0.0);
  for (var d = -1; d <= 1; d++) {
    let weight = select(1.0, 2.0, d == 0); // the centre row and column count twice
    gradient.x += weight * (brightness(at + vec2i(1, d)) - brightness(at + vec2i(-1, d)));
    gradient.y += weight * (brightness(at + vec2i(d, 1)) - brightness(at + vec2i(d, -1)));
  }
  textureStore(edges, id.xy, vec4f(vec3f(length(gradient)), 1.0));
}
