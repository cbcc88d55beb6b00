// WGSL written by gpuc: kernel main

enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Result {
  sum: u32,
  least: u32,
  most: u32,
  odd: u32,
  mistakes: u32,
}

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<Result>;
var<workgroup> sum: atomic<u32>;
var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> odd: atomic<u32>;
var<workgroup> mistakes: atomic<u32>;

@compute @workgroup_size(96)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_size) lanes: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  let t = local == 0u;
  if t {
    atomicStore(&least, 4294967295u);
  }
  workgroupBarrier();
  let t_1 = arrayLength(&data);
  let value = select(0u, data[min(id.x, t_1 - 1u)], id.x < t_1);
  let subgroup_sum = subgroupAdd(value);
  let subgroup_least = subgroupMin(value);
  let subgroup_most = subgroupMax(value);
  let t_2 = subgroupBallot((value & 1u) == 1u);
  let ballot = countOneBits(t_2);
  let odd_here = ballot.x + ballot.y + ballot.z + ballot.w;
  let up_to = subgroupInclusiveAdd(value);
  let before = subgroupExclusiveAdd(value);
  let first = subgroupBroadcastFirst(subgroup_sum);
  let all_below = subgroupAll(lane < lanes);
  let any_beyond = subgroupAny(value > subgroup_most);
  let t_3 = subgroupElect();
  if t_3 {
    atomicAdd(&sum, subgroup_sum);
    atomicMin(&least, subgroup_least);
    atomicMax(&most, subgroup_most);
    atomicAdd(&odd, odd_here);
  }
  let t_4 = any_beyond | ((value != up_to - before) | (subgroup_sum != first) | !all_below);
  if t_4 {
    atomicAdd(&mistakes, 1u);
  }
  workgroupBarrier();
  if t {
    let t_5 = atomicLoad(&sum);
    let t_6 = atomicLoad(&least);
    let t_7 = atomicLoad(&most);
    let t_8 = atomicLoad(&odd);
    let t_9 = atomicLoad(&mistakes);
    results[group.x] = Result(t_5, t_6, t_7, t_8, t_9);
  }
}
