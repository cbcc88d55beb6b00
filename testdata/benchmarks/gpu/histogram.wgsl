// How often each byte occurs: strides of the grid, counters in workgroup memory.
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> local: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn histogram(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32,
             @builtin(num_workgroups) groups: vec3u) {
  atomicStore(&local[t], 0);
  workgroupBarrier();
  for (var i = id.x; i < arrayLength(&words); i += groups.x * 256) {
    let w = words[i];
    atomicAdd(&local[w & 0xff], 1);
    atomicAdd(&local[(w >> 8) & 0xff], 1);
    atomicAdd(&local[(w >> 16) & 0xff], 1);
    atomicAdd(&local[w >> 24], 1);
  }
  workgroupBarrier();
  atomicAdd(&counts[t], atomicLoad(&local[t]));
}
