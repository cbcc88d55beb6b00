enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Counters {
  total: atomic<u32>,
  slots: array<atomic<i32>>,
}

@group(0) @binding(0) var<storage, read_write> counters: Counters;
var<workgroup> flag: atomic<u32>;
var<workgroup> limit: vec2u;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) lanes: u32) {
  atomicStore(&flag, 1u);
  workgroupBarrier();
  let first = workgroupUniformLoad(&limit).x + workgroupUniformLoad(&flag);
  storageBarrier();
  let old = atomicAdd(&counters.total, first);
  atomicMax(&counters.slots[i], i32(old));
  let result = atomicCompareExchangeWeak(&counters.slots[1], 3, 4);
  if result.exchanged {
    atomicExchange(&flag, u32(result.old_value) + arrayLength(&counters.slots));
  }
  let sum = subgroupAdd(old) + subgroupBroadcast(old, 1i) + subgroupShuffle(old, i) + quadSwapX(i);
  if subgroupElect() && subgroupAny(i < lanes) {
    atomicSub(&flag, sum + countOneBits(subgroupBallot(true).x));
  }
}
