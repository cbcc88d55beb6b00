// Sum, minimum and maximum through subgroups of any size: one invocation of
// every subgroup adds the subgroup's result to workgroup memory. A ballot must
// count what the sum counts, and a scan's two forms must differ by the value.
enable subgroups;

const size = 96u;

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

@compute @workgroup_size(size)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_size) lanes: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  if local == 0u {
    atomicStore(&least, 0xffffffffu);
  }
  workgroupBarrier();
  let value = select(0u, data[min(id.x, arrayLength(&data) - 1u)], id.x < arrayLength(&data));

  let subgroup_sum = subgroupAdd(value);
  let subgroup_least = subgroupMin(value);
  let subgroup_most = subgroupMax(value);
  let ballot = countOneBits(subgroupBallot((value & 1u) == 1u));
  let odd_here = ballot.x + ballot.y + ballot.z + ballot.w;
  let up_to = subgroupInclusiveAdd(value);
  let before = subgroupExclusiveAdd(value);
  let first = subgroupBroadcastFirst(subgroup_sum);
  let all_below = subgroupAll(lane < lanes);
  let any_beyond = subgroupAny(value > subgroup_most);

  if subgroupElect() {
    atomicAdd(&sum, subgroup_sum);
    atomicMin(&least, subgroup_least);
    atomicMax(&most, subgroup_most);
    atomicAdd(&odd, odd_here);
  }
  if up_to - before != value || first != subgroup_sum || !all_below || any_beyond {
    atomicAdd(&mistakes, 1u);
  }
  workgroupBarrier();
  if local == 0u {
    results[group.x] = Result(atomicLoad(&sum), atomicLoad(&least), atomicLoad(&most), atomicLoad(&odd), atomicLoad(&mistakes));
  }
}
