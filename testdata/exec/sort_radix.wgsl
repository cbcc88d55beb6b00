// One pass of a radix sort by a digit of four bits, which must be stable: each
// workgroup counts its digits, one invocation turns the counts into places, and
// each element counts its equals before it in workgroup memory.
override shift: u32;

const size = 64u;
const radix = 16u;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> sorted: array<u32>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>; // [digit][group]

var<workgroup> counts: array<atomic<u32>, radix>;
var<workgroup> digits: array<u32, size>;

fn digit(key: u32) -> u32 {
  return extractBits(key, shift, 4u);
}

@compute @workgroup_size(size)
fn count(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if id.x < arrayLength(&keys) {
    atomicAdd(&counts[digit(keys[id.x])], 1u);
  }
  workgroupBarrier();
  if local < radix {
    places[local * groups.x + group.x] = atomicLoad(&counts[local]);
  }
}

@compute @workgroup_size(1)
fn place() {
  var sum = 0u;
  for (var i = 0u; i < arrayLength(&places); i++) {
    let n = places[i];
    places[i] = sum;
    sum += n;
  }
}

@compute @workgroup_size(size)
fn scatter(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let inside = id.x < arrayLength(&keys);
  var mine = radix;
  if inside {
    mine = digit(keys[id.x]);
  }
  digits[local] = mine;
  workgroupBarrier();
  if inside {
    var rank = 0u;
    for (var i = 0u; i < local; i++) {
      if digits[i] == mine {
        rank++;
      }
    }
    sorted[places[mine * groups.x + group.x] + rank] = keys[id.x];
  }
}
