// WGSL written by gpuc: kernel VectorAdd

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn VectorAdd(@builtin(global_invocation_id) global: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let t = i32(groups.x) << 5u;
  let t_1 = i32(arrayLength(&c));
  var k = i32(global.x);
  while k < t_1 {
    c[k] = a[k] + b[k];
    k += t;
  }
}
