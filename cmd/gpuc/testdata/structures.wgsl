enable f16;
struct Light { direction: vec3f, color: vec3f, power: f32 }
struct Particle { mass: f32, position: vec3f, kind: u32, velocity: vec3f, float: atomic<u32>, h: vec3<f16> }
struct Scene { lights: array<Light, 4>, view: mat3x3f, corners: array<vec3f, 2>, count: u32, type_: i32, particles: array<Particle> }
struct Only { data: array<vec3f> }
struct Big { x: f32, table: array<f32, 100>, @size(32) y: u32 }
@group(0) @binding(0) var<storage, read_write> scene: Scene;
@group(0) @binding(1) var<storage, read_write> only: Only;
@group(0) @binding(2) var<storage, read_write> big: Big;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
  scene.particles[g.x].position = only.data[g.x]; big.x = 1;
}
