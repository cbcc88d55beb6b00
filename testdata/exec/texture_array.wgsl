// A material in each layer of an array: samples by coordinates and layer, signed
// or not, and loads of single texels of the second level.
@group(0) @binding(0) var materials: texture_2d_array<f32>;
@group(0) @binding(1) var repeating: sampler;
@group(0) @binding(2) var<storage, read> hits: array<vec4f>; // coordinates and material
@group(0) @binding(3) var<storage, read_write> colours: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> texels: array<vec4f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&hits) {
    return;
  }
  let hit = hits[id.x];
  let material = u32(hit.z);
  if id.x % 2 == 0 {
    colours[id.x] = textureSampleLevel(materials, repeating, hit.xy, material, 0);
  } else {
    colours[id.x] = textureSampleLevel(materials, repeating, hit.xy, i32(material), 0, vec2i(-1, 2));
  }
  let coarse = textureDimensions(materials, 1);
  texels[id.x] = textureLoad(materials, vec2u(id.x % coarse.x, id.x / coarse.x % coarse.y), material, 1);
}
