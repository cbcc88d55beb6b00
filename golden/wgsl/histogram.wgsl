// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 48>;
var<workgroup> local_counts: array<atomic<u32>, 48>;

@compute @workgroup_size(64)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  for (var i = local; i < 48u; i += 64u) {
    atomicStore(&local_counts[i], 0u);
  }
  workgroupBarrier();
  let t = arrayLength(&samples);
  let t_1 = groups.x << 6u;
  for (var i = id.x; i < t; i += t_1) {
    atomicAdd(&local_counts[samples[i] % 48u], 1u);
  }
  workgroupBarrier();
  for (var i = local; i < 48u; i += 64u) {
    let n = atomicLoad(&local_counts[i]);
    if n != 0u {
      atomicAdd(&counts[i], n);
    }
  }
}
