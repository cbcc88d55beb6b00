// The uniform address space: arrays with a stride of 16 bytes, structs aligned
// to 16, vec3 with a scalar in its tail, matrices with vec3 columns, nested
// arrays, and dynamic indices into all of them.
struct Light {
  position: vec3f,
  power: f32,
  colour: vec3f,
  @size(4) kind: u32,
}

struct Block {
  @size(16) first: vec2u,
  lights: array<Light, 3>,
  rows: array<vec4f, 4>,
  turn: mat3x3f,
  shear: mat4x2f,
  table: array<array<vec4u, 2>, 3>,
  last: i32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(1) @binding(0) var<uniform> offset: vec3f;
@group(2) @binding(0) var<storage, read_write> floats: array<array<f32, 8>>;
@group(2) @binding(1) var<storage, read_write> integers: array<vec4i>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&integers) {
    return;
  }
  let light = block.lights[i % 3u];
  var f: array<f32, 8>;
  f[0] = light.position[i % 3u];
  f[1] = light.power;
  f[2] = block.lights[2u - i % 3u].colour.y;
  f[3] = block.rows[i % 4u][(i / 2u) % 4u];
  f[4] = block.turn[i % 3u].z;
  f[5] = (block.turn * light.position).x;
  f[6] = (block.shear * block.rows[i % 4u]).y;
  f[7] = offset[i % 3u];
  floats[i] = f;
  integers[i] = vec4i(
    i32(block.first[i % 2u]),
    i32(light.kind),
    i32(block.table[i % 3u][i % 2u][i % 4u]),
    block.last);
}
