// Exchange between the invocations of a subgroup of unknown size: broadcasts,
// and shuffles whose source is certain to exist. Every invocation checks what
// it got against what the other must have sent.
enable subgroups;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> mistakes: array<u32>;
@group(0) @binding(2) var<storage, read_write> echoed: array<vec2u>;

@compute @workgroup_size(64)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) lanes: u32,
) {
  let active_lanes = subgroupAdd(1u);
  let value = data[id.x % arrayLength(&data)];
  var wrong = 0u;

  // The first invocation's number, by two ways.
  let first = subgroupBroadcastFirst(lane);
  wrong += u32(first != subgroupMin(lane)) + u32(active_lanes > lanes);
  wrong += u32(subgroupBroadcast(lane, 0u) != 0u) * u32(first == 0u);

  // From oneself, and from the mirrored number when all are there.
  let own = subgroupShuffle(value, lane);
  let mirrored = subgroupShuffle(lane, active_lanes - 1u - min(lane, active_lanes - 1u));
  wrong += u32(own != value);
  wrong += u32(mirrored != active_lanes - 1u - lane) * u32(lane < active_lanes);

  // Neighbours: up, down and across, where they exist.
  let below = subgroupShuffleUp(lane, 1u);
  let above = subgroupShuffleDown(lane, 1u);
  let across = subgroupShuffleXor(lane, 1u);
  wrong += u32(lane > 0u && below != lane - 1u);
  wrong += u32(lane + 1u < active_lanes && above != lane + 1u);
  wrong += u32((lane ^ 1u) < active_lanes && across != (lane ^ 1u));

  // Products and bitwise reductions against what they must be.
  wrong += u32(subgroupMul(1u + (lane & 0u)) != 1u);
  wrong += u32((subgroupAnd(value) & value) != subgroupAnd(value));
  wrong += u32((subgroupOr(value) | value) != subgroupOr(value));
  wrong += u32(subgroupXor(1u) != (active_lanes & 1u));

  mistakes[id.x] = wrong;
  echoed[id.x] = vec2u(own, value ^ 1u);
}
