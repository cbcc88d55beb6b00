// The texture builtins: which operation each is, and in which order its operands
// stand. Handles are loaded from their variables; a let and a parameter hold one.
@group(0) @binding(0) var colour: texture_2d<f32>;
@group(0) @binding(1) var layers: texture_2d_array<f32>;
@group(0) @binding(2) var volume: texture_3d<f32>;
@group(0) @binding(3) var sky: texture_cube_array<f32>;
@group(0) @binding(4) var line: texture_1d<i32>;
@group(0) @binding(5) var shadow: texture_depth_2d;
@group(0) @binding(6) var shadows: texture_depth_2d_array;
@group(0) @binding(7) var many: texture_multisampled_2d<u32>;
@group(0) @binding(8) var video: texture_external;
@group(1) @binding(0) var input: texture_storage_2d<rgba8unorm, read>;
@group(1) @binding(1) var output: texture_storage_2d_array<rgba16float, write>;
@group(1) @binding(2) var counts: texture_storage_1d<r32uint, read_write>;
@group(2) @binding(0) var smooth_sampler: sampler;
@group(2) @binding(1) var compare: sampler_comparison;
@group(3) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(3) @binding(1) var<storage, read_write> sizes: array<vec4u>;

@compute @workgroup_size(1)
fn queries() {
  sizes[0] = vec4u(textureDimensions(colour), textureDimensions(colour, 1));
  sizes[1] = vec4u(textureDimensions(volume, 2u), textureDimensions(line));
  sizes[2] = vec4u(textureDimensions(video), textureDimensions(output));
  sizes[3] = vec4u(textureNumLayers(sky), textureNumLayers(output), textureNumLevels(shadow), textureNumSamples(many));
}

@compute @workgroup_size(1)
fn texels(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  out[0] = textureLoad(colour, at, 0) + textureLoad(layers, id.xy, 1, 2u) + textureLoad(volume, id, 0);
  out[1] = textureLoad(input, at) + textureLoad(video, at) + textureLoad(shadow, at, 0);
  sizes[0] = textureLoad(many, at, id.z);
  textureStore(output, at, id.z, vec4f(vec3f(textureLoad(line, id.x, 0).xyz), 1));
  textureStore(counts, id.x, textureLoad(counts, id.x) + 1);
  textureBarrier();
}

@compute @workgroup_size(1)
fn samples() {
  let uv = out[0].xy;
  let level = sizes[0].x;
  out[0] = textureSampleLevel(colour, smooth_sampler, uv, 0.5, vec2i(1, -8));
  out[1] = textureSampleLevel(sky, smooth_sampler, out[0].xyz, level, 1);
  out[2].x = textureSampleLevel(shadow, smooth_sampler, uv, level);
  out[2].y = textureSampleLevel(shadows, smooth_sampler, uv, 3, 1, vec2i(1));
  out[3] = textureSampleGrad(layers, smooth_sampler, uv, 3u, uv.yx, uv, vec2i(0, 1));
  out[4].x = textureSampleCompareLevel(shadows, compare, uv, level, 0.5, vec2i(2));
  out[5] = textureGather(1, colour, smooth_sampler, uv);
  out[6] = textureGather(2u, layers, smooth_sampler, uv, level, vec2i(1) - 2);
  out[7] = textureGather(shadows, smooth_sampler, uv, level, vec2i(3));
  out[8] = textureGatherCompare(shadow, compare, uv, 0.25);
  out[9] = textureSampleBaseClampToEdge(colour, smooth_sampler, uv);
}

fn fetch(t: texture_2d<f32>, s: sampler, uv: vec2f) -> vec4f {
  let same = t;
  return textureSampleLevel(same, s, uv, 0);
}

@compute @workgroup_size(1)
fn handles() {
  var i = 0u;
  loop {
    let t = colour;
    let s = smooth_sampler;
    out[i] = fetch(t, s, out[i].zw);
    continuing {
      out[i] += fetch(t, s, out[i].xy) + textureLoad(t, vec2u(i), 0);
      i++;
      break if i >= textureDimensions(t).x;
    }
  }
}

fn walk(t: texture_1d<i32>, n: i32) -> i32 {
  var sum = 0;
  for (var i = 0; i < n; i++) {
    let line = t;
    loop {
      let inner = line;
      continuing {
        sum += textureLoad(inner, i, 0).x + textureLoad(line, i, 0).y;
        break if sum > 7;
      }
    }
  }
  return sum;
}

@compute @workgroup_size(1)
fn walking() {
  sizes[0].x = u32(walk(line, 4) + walk(line, 5));
}
