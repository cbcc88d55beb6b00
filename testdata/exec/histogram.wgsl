// A histogram counted in workgroup memory first and then added to storage:
// atomics in both address spaces, contended by all invocations.
const bins = 48u;
const size = 64u;

@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, bins>;

var<workgroup> local_counts: array<atomic<u32>, bins>;

@compute @workgroup_size(size)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  for (var i = local; i < bins; i += size) {
    atomicStore(&local_counts[i], 0u);
  }
  workgroupBarrier();
  for (var i = id.x; i < arrayLength(&samples); i += groups.x * size) {
    atomicAdd(&local_counts[samples[i] % bins], 1u);
  }
  workgroupBarrier();
  for (var i = local; i < bins; i += size) {
    let n = atomicLoad(&local_counts[i]);
    if n != 0u {
      atomicAdd(&counts[i], n);
    }
  }
}
