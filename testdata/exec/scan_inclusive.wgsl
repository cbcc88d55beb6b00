// Inclusive prefix sums: Hillis and Steele within a workgroup, then a second
// dispatch in which every workgroup adds up the totals before it. Every step
// needs two barriers, one after reading and one after writing.
const size = 128u;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;

var<workgroup> sums: array<u32, size>;

@compute @workgroup_size(size)
fn scan(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(workgroup_id) group: vec3u,
) {
  let me = local.x;
  let inside = id.x < arrayLength(&data);
  if inside {
    sums[me] = data[id.x];
  } else {
    sums[me] = 0u;
  }
  workgroupBarrier();
  for (var step = 1u; step < size; step *= 2u) {
    var add = 0u;
    if me >= step {
      add = sums[me - step];
    }
    workgroupBarrier();
    sums[me] += add;
    workgroupBarrier();
  }
  if inside {
    data[id.x] = sums[me];
  }
  if me == size - 1u {
    totals[group.x] = sums[me];
  }
}

var<workgroup> offset: u32;

@compute @workgroup_size(size)
fn add_totals(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  if local == 0u {
    var sum = 0u;
    for (var i = 0u; i < group.x; i++) {
      sum += totals[i];
    }
    offset = sum;
  }
  let before = workgroupUniformLoad(&offset);
  if id.x < arrayLength(&data) {
    data[id.x] += before;
  }
}
