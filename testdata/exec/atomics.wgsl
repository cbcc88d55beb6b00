// Every atomic operation on i32 and u32, in storage and in workgroup memory,
// by many invocations at once. What each call returns depends on the order, but
// sums and extremes of the returned values' effects do not.
struct Counters {
  sum: atomic<i32>,
  difference: atomic<i32>,
  least: atomic<i32>,
  most: atomic<i32>,
  low: atomic<u32>,
  high: atomic<u32>,
  all: atomic<u32>,
  any: atomic<u32>,
  parity: atomic<u32>,
  tickets: atomic<u32>,
  swaps: array<atomic<u32>, 2>,
}

@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read_write> seen: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> per_group: array<vec4i>;

var<workgroup> sum: atomic<i32>;
var<workgroup> least: atomic<i32>;
var<workgroup> parity: atomic<u32>;
var<workgroup> most: atomic<u32>;

@compute @workgroup_size(32)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let inside = id.x < arrayLength(&data);
  if inside {
    let x = data[id.x];
    let u = bitcast<u32>(x);
    atomicAdd(&counters.sum, x);
    atomicSub(&counters.difference, x);
    atomicMin(&counters.least, x);
    atomicMax(&counters.most, x);
    atomicMin(&counters.low, u);
    atomicMax(&counters.high, u);
    atomicAnd(&counters.all, u | 0xffff0u);
    atomicOr(&counters.any, u & 0xff00ff00u);
    atomicXor(&counters.parity, u);
    // Each ticket is drawn once.
    let ticket = atomicAdd(&counters.tickets, 1u);
    atomicAdd(&seen[ticket], 1u);
    // What goes in by exchange comes out once, but for the last.
    let out = atomicExchange(&counters.swaps[0], u);
    atomicAdd(&counters.swaps[1], out - u);

    atomicAdd(&sum, x);
    atomicMin(&least, x);
    atomicXor(&parity, u * 3u);
    atomicMax(&most, u);
  }
  workgroupBarrier();
  if local == 0u {
    per_group[group.x] = vec4i(
      atomicLoad(&sum), atomicLoad(&least), bitcast<i32>(atomicExchange(&parity, 0u)), i32(atomicLoad(&most) >> 1u));
  }
}

@compute @workgroup_size(1)
fn finish() {
  // Initial value + everything put in - everything taken out = what is left.
  let left = atomicLoad(&counters.swaps[0]) + atomicLoad(&counters.swaps[1]);
  atomicStore(&counters.swaps[0], left);
  atomicStore(&counters.swaps[1], 0u);
}
