// workgroupUniformLoad of scalars, vectors, structs and atomics: a value that
// one invocation wrote reaches all, with the barriers on both sides implied, so
// that the next round may overwrite it at once. It decides uniform control flow
// with a barrier inside.
struct Task {
  start: u32,
  step: vec2u,
}

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

var<workgroup> task: Task;
var<workgroup> running: bool;
var<workgroup> found: atomic<u32>;
var<workgroup> scratch: array<u32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  var sum = 0u;
  var round = 0u;
  loop {
    if local == round % 32u {
      task = Task(data[(group.x * 7u + round) % arrayLength(&data)], vec2u(round, local));
      running = round < 3u + group.x;
    }
    if !workgroupUniformLoad(&running) {
      break;
    }
    let t = workgroupUniformLoad(&task);
    scratch[local] = t.start ^ (local * t.step.x);
    if scratch[local] % 3u == 0u {
      atomicAdd(&found, 1u);
    }
    workgroupBarrier();
    sum = sum * 5u + scratch[31u - local] + t.step.y;
    let so_far = workgroupUniformLoad(&found);
    sum ^= so_far;
    round++;
  }
  results[group.x * 32u + local] = sum;
}
