// WGSL written by gpuc: kernel main

struct Light {
  position: vec3f,
  power: f32,
  colour: vec3f,
  kind: u32,
}

struct Block {
  first: vec2u,
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
  let t = i % 3u;
  let position = block.lights[t].position;
  let f_1 = block.lights[t].power;
  let f_0 = position[t];
  let f_2 = block.lights[2u - t].colour.y;
  let t_1 = i & 3u;
  let f_3 = block.rows[t_1][(i >> 1u) & 3u];
  let f_4 = block.turn[t].z;
  let t_2 = block.turn[0] * position.x + block.turn[1] * position.y + block.turn[2] * position.z;
  let f_5 = t_2.x;
  let t_3 = block.rows[t_1];
  let t_4 = block.shear[0] * t_3.x + block.shear[1] * t_3.y + block.shear[2] * t_3.z + block.shear[3] * t_3.w;
  let f_6 = t_4.y;
  let f_7 = offset[t];
  floats[i] = array<f32, 8>(f_0, f_1, f_2, f_3, f_4, f_5, f_6, f_7);
  let t_5 = i & 1u;
  let t_6 = vec4i(i32(block.first[t_5]), i32(block.lights[t].kind), i32(block.table[t][t_5][t_1]), block.last);
  integers[i] = t_6;
}
