// Stream compaction: the elements that pass a test move to the front. Places
// come from one atomic counter in the first form, in whatever order; in the
// second every element counts the survivors before it, and order is kept. A
// last dispatch sorts the first form by rank, so that both can be compared.
const size = 32u;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> unordered: array<u32>;
@group(0) @binding(3) var<storage, read_write> ordered: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted: array<u32>;

fn passes(x: u32) -> bool {
  return x % 3u != 0u && (x & 4u) == 0u;
}

@compute @workgroup_size(size)
fn compact(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) || !passes(data[i]) {
    return;
  }
  unordered[atomicAdd(&kept, 1u)] = data[i];
  var place = 0u;
  for (var j = 0u; j < i; j++) {
    place += u32(passes(data[j]));
  }
  ordered[place] = data[i];
}

@compute @workgroup_size(size)
fn sort(@builtin(global_invocation_id) id: vec3u) {
  let n = atomicLoad(&kept);
  let i = id.x;
  if i >= n {
    return;
  }
  let mine = unordered[i];
  var rank = 0u;
  for (var j = 0u; j < n; j++) {
    let other = unordered[j];
    rank += select(0u, 1u, other < mine || (other == mine && j < i));
  }
  sorted[rank] = mine;
}

@compute @workgroup_size(size)
fn clear(@builtin(global_invocation_id) id: vec3u) {
  // The order in which workgroups came is nobody's business.
  if id.x < arrayLength(&unordered) {
    unordered[id.x] = 0u;
  }
}
