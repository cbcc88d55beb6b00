// WGSL written by gpuc: kernel main

struct Task {
  start: u32,
  step_1: vec2u,
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
  var round_1 = 0u;
  loop {
    if local == (round_1 & 31u) {
      task = Task(data[(t + round_1) % t_1], vec2u(round_1, local));
      running = round_1 < t_2;
    }
    let t_3 = workgroupUniformLoad(&running);
    if !t_3 {
      break;
    }
    let t_4 = workgroupUniformLoad(&task);
    scratch[local] = t_4.start ^ (local * t_4.step_1.x);
    if scratch[local] % 3u == 0u {
      atomicAdd(&found, 1u);
    }
    workgroupBarrier();
    let sum_1 = sum * 5u + scratch[31u - local] + t_4.step_1.y;
    let so_far = workgroupUniformLoad(&found);
    sum = sum_1 ^ so_far;
    round_1++;
  }
  results[local + (group.x << 5u)] = sum;
}
