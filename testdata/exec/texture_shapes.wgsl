// Storage textures of one and three dimensions and of layers, written by one
// dispatch and read as sampled textures by the next.
@group(0) @binding(0) var ramp: texture_storage_1d<r32float, write>;
@group(0) @binding(1) var stack: texture_storage_2d_array<rgba8uint, write>;
@group(0) @binding(2) var volume: texture_storage_3d<rgba16float, write>;
@group(1) @binding(0) var written_ramp: texture_1d<f32>;
@group(1) @binding(1) var written_stack: texture_2d_array<u32>;
@group(1) @binding(2) var written_volume: texture_3d<f32>;
@group(2) @binding(0) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(4, 4, 2)
fn fill(@builtin(global_invocation_id) id: vec3u) {
  if id.y == 0 && id.z == 0 {
    textureStore(ramp, id.x, vec4f(f32(id.x) / 4));
  }
  textureStore(stack, id.xy, id.z, vec4u(id, id.x * id.y));
  textureStore(volume, id, vec4f(vec3f(id), -0.5));
}

@compute @workgroup_size(8)
fn add_up(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(written_volume);
  var sum = 0.0;
  for (var z = 0u; z < size.z; z++) {
    for (var y = 0u; y < size.y; y++) {
      let texel = textureLoad(written_volume, vec3u(id.x, y, z), 0);
      sum += dot(texel, vec4f(1, 10, 100, 1));
      sum += f32(textureLoad(written_stack, vec2u(id.x, y), z, 0).a);
    }
  }
  sums[id.x] = sum + textureLoad(written_ramp, id.x, 0).r;
}
