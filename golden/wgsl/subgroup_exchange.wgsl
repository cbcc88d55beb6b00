// WGSL written by gpuc: kernel main

enable subgroups;
diagnostic(off, subgroup_uniformity);

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
  let first = subgroupBroadcastFirst(lane);
  let t = subgroupMin(lane);
  let t_1 = subgroupBroadcast(lane, 0u);
  let wrong = u32(first != t) + u32(active_lanes > lanes) + u32(t_1 != 0u) * u32(first == 0u);
  let own = subgroupShuffle(value, lane);
  let t_2 = active_lanes - 1u;
  let mirrored = subgroupShuffle(lane, t_2 - min(lane, t_2));
  let wrong_1 = wrong + u32(value != own);
  let wrong_2 = wrong_1 + u32(mirrored != t_2 - lane) * u32(lane < active_lanes);
  let below = subgroupShuffleUp(lane, 1u);
  let above = subgroupShuffleDown(lane, 1u);
  let across = subgroupShuffleXor(lane, 1u);
  let wrong_3 = wrong_2 + u32((lane != 0u) & (below != lane - 1u));
  let t_3 = lane + 1u;
  let wrong_4 = wrong_3 + u32((t_3 < active_lanes) & (above != t_3));
  let t_4 = lane ^ 1u;
  let wrong_5 = wrong_4 + u32((t_4 < active_lanes) & (across != t_4));
  let t_5 = subgroupMul(1u);
  let wrong_6 = wrong_5 + u32(t_5 != 1u);
  let t_6 = subgroupAnd(value);
  let t_7 = subgroupAnd(value);
  let wrong_7 = wrong_6 + u32((value & t_6) != t_7);
  let t_8 = subgroupOr(value);
  let t_9 = subgroupOr(value);
  let wrong_8 = wrong_7 + u32((value | t_8) != t_9);
  let t_10 = subgroupXor(1u);
  let wrong_9 = wrong_8 + u32(t_10 != (active_lanes & 1u));
  mistakes[id.x] = wrong_9;
  echoed[id.x] = vec2u(own, value ^ 1u);
}
