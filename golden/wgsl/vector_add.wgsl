// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let stride = groups.x << 5u;
  let t = arrayLength(&c);
  for (var i = id.x; i < t; i += stride) {
    c[i] = a[i] + b[i];
  }
}
