// WGSL written by gpuc: kernel main

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
  let t = group.x * 7u;
  let t_1 = arrayLength(&data);
  let t_2 = group.x + 3u;
  var sum = 0u;
  var round = 0u;
  loop {
    if local == (round & 31u) {
      task = Task(data[(t + round) % t_1], vec2u(round, local));
      running = round < t_2;
    }
    let t_3 = workgroupUniformLoad(&running);
    if !t_3 {
      break;
    }
    let t_4 = workgroupUniformLoad(&task);
    scratch[local] = t_4.start ^ (local * t_4.step.x);
    if scratch[local] % 3u == 0u {
      atomicAdd(&found, 1u);
    }
    workgroupBarrier();
    let sum_1 = sum * 5u + scratch[31u - local] + t_4.step.y;
    let so_far = workgroupUniformLoad(&found);
    sum = sum_1 ^ so_far;
    round++;
  }
  results[local + (group.x << 5u)] = sum;
}
