// Textures and samplers as arguments and lets: rays walk over one of two height
// fields until they meet it. The loop's continuing block reads the texture that
// the body has named.
@group(0) @binding(0) var hills: texture_2d<f32>;
@group(0) @binding(1) var dunes: texture_2d<f32>;
@group(0) @binding(2) var clamping: sampler;
@group(0) @binding(3) var repeating: sampler;
@group(0) @binding(4) var<storage, read_write> met: array<vec4f>;

fn height(field: texture_2d<f32>, around: sampler, at: vec2i) -> f32 {
  let uv = (vec2f(at) + 0.5) / vec2f(textureDimensions(field));
  return textureSampleLevel(field, around, uv, 0).r;
}

// Walks along the diagonal and sinks; returns the step and the height there.
fn walk(field: texture_2d<f32>, around: sampler, start_at: vec2i, above: f32) -> vec2f {
  let same = field;
  var step = 0;
  var level = above;
  var met = 0.0;
  loop {
    let here = same;
    let texels = around;
    if level < 0 {
      return vec2f(f32(step), -1);
    }
    continuing {
      met = height(here, texels, start_at + step);
      level -= 1;
      step++;
      break if met >= level;
    }
  }
  return vec2f(f32(step), met);
}

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  let over_hills = hills;
  let a = walk(over_hills, clamping, at, 40);
  let b = walk(dunes, repeating, at, 30);
  met[id.y * 8 + id.x] = vec4f(a, b);
}
