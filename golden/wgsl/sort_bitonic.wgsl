// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> keys: array<u32, 256>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let base = group.x << 8u;
  let t = local + base;
  let t_1 = arrayLength(&data);
  let t_2 = t < t_1;
  var r = 4294967295u;
  if t_2 {
    r = data[t];
  }
  keys[local] = r;
  let t_3 = local + 128u;
  let t_4 = t + 128u;
  let t_5 = t_4 < t_1;
  var r_1 = 4294967295u;
  if t_5 {
    r_1 = data[t_4];
  }
  keys[t_3] = r_1;
  workgroupBarrier();
  let t_6 = local << 1u;
  for (var run = 2u; run <= 256u; run <<= 1u) {
    for (var gap = run >> 1u; gap != 0u; gap >>= 1u) {
      let low = t_6 - (local & (gap - 1u));
      let high = low + gap;
      let upward = (low & run) == 0u;
      let a = keys[low];
      let b = keys[high];
      if upward == (a > b) {
        keys[low] = b;
        keys[high] = a;
      }
      workgroupBarrier();
    }
  }
  if t_2 {
    data[t] = keys[local];
  }
  if t_5 {
    data[t_4] = keys[t_3];
  }
}
