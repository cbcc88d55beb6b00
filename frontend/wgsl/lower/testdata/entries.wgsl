// Only what the compute entry points reach is lowered, callees first.
struct Invocation {
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
}

override width: u32 = 8;
override height = width * 2;
@id(3) override scale: f32;

@group(0) @binding(0) var<storage, read_write> out: array<f32>;

fn unused(x: f32) -> f32 {
  return x;
}

@vertex
fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(unused(f32(i)));
}

@compute @workgroup_size(width, height)
fn fill(at: Invocation, @builtin(num_workgroups) groups: vec3u) {
  out[at.id.x + at.local * groups.x] = scaled(f32(width));
}

fn scaled(x: f32) -> f32 {
  return twice(x) * scale;
}

fn twice(x: f32) -> f32 {
  return x + x;
}

@compute @workgroup_size(1)
fn clear(@builtin(local_invocation_index) i: u32) {
  out[i] = 0;
}
