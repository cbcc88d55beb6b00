// What textures of every shape say of themselves: sizes, of levels too, layers and
// levels.
@group(0) @binding(0) var line: texture_1d<f32>;
@group(0) @binding(1) var flat: texture_2d<f32>;
@group(0) @binding(2) var flats: texture_2d_array<i32>;
@group(0) @binding(3) var volume: texture_3d<u32>;
@group(0) @binding(4) var cube: texture_cube<f32>;
@group(0) @binding(5) var cubes: texture_cube_array<f32>;
@group(0) @binding(6) var video: texture_external;
@group(1) @binding(0) var depth: texture_depth_2d;
@group(1) @binding(1) var depths: texture_depth_2d_array;
@group(1) @binding(2) var depth_cube: texture_depth_cube;
@group(1) @binding(3) var depth_cubes: texture_depth_cube_array;
@group(1) @binding(4) var store_line: texture_storage_1d<r32uint, write>;
@group(1) @binding(5) var store: texture_storage_2d<rgba8unorm, write>;
@group(1) @binding(6) var stores: texture_storage_2d_array<r32float, read_write>;
@group(1) @binding(7) var store_volume: texture_storage_3d<rgba16float, read>;
@group(2) @binding(0) var<storage, read_write> sampled: array<vec4u>;
@group(2) @binding(1) var<storage, read_write> others: array<vec4u>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  let level = id.x;
  if level == 0 {
    sampled[0] = vec4u(textureDimensions(line), textureNumLevels(line), textureDimensions(flat));
    sampled[1] = vec4u(textureNumLevels(flat), textureNumLevels(flats), textureDimensions(flats));
    sampled[2] = vec4u(textureNumLayers(flats), textureDimensions(volume));
    sampled[3] = vec4u(textureNumLevels(volume), textureNumLevels(cube), textureDimensions(cube));
    sampled[4] = vec4u(textureNumLayers(cubes), textureNumLevels(cubes), textureDimensions(cubes));
    sampled[5] = vec4u(textureDimensions(video), textureDimensions(line, 0), 0);
  }
  sampled[6 + 3 * level] = vec4u(textureDimensions(flat, level), textureDimensions(flats, i32(level)));
  sampled[7 + 3 * level] = vec4u(textureDimensions(volume, level), level);
  sampled[8 + 3 * level] = vec4u(textureDimensions(cube, level), textureDimensions(cubes, level));
}

@compute @workgroup_size(1)
fn rest(@builtin(workgroup_id) id: vec3u) {
  let level = id.x;
  if level == 0 {
    others[0] = vec4u(textureDimensions(depth), textureNumLevels(depth), textureNumLevels(depths));
    others[1] = vec4u(textureDimensions(depths), textureNumLayers(depths), textureNumLevels(depth_cube));
    others[2] = vec4u(textureDimensions(depth_cube), textureDimensions(depth_cubes));
    others[3] = vec4u(textureNumLayers(depth_cubes), textureNumLevels(depth_cubes), textureDimensions(store));
    others[4] = vec4u(textureDimensions(store_line), textureDimensions(stores), textureNumLayers(stores));
    others[5] = vec4u(textureDimensions(store_volume), 0);
  }
  others[6 + 2 * level] = vec4u(textureDimensions(depth, level), textureDimensions(depths, level));
  others[7 + 2 * level] = vec4u(textureDimensions(depth_cube, level), textureDimensions(depth_cubes, level));
}
