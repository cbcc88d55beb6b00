// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> keys: array<u32, 256>;

fn load(at: u32) -> u32 {
  if at < arrayLength(&data) {
    return data[at];
  }
  return 4294967295u;
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  var gap: u32;
  let base = group.x * 256u;
  let t = load(base + local);
  keys[local] = t;
  let t_1 = load(base + local + 128u);
  keys[local + 128u] = t_1;
  workgroupBarrier();
  var run = 2u;
  loop {
    if run > 256u {
      break;
    }
    gap = run >> 1u;
    loop {
      if gap <= 0u {
        break;
      }
      let low = 2u * local - (local & (gap - 1u));
      let high = low + gap;
      let upward = (low & run) == 0u;
      let a = keys[low];
      let b = keys[high];
      if (a > b) == upward {
        keys[low] = b;
        keys[high] = a;
      }
      workgroupBarrier();
      continuing {
        gap >>= 1u;
      }
    }
    continuing {
      run <<= 1u;
    }
  }
  if base + local < arrayLength(&data) {
    data[base + local] = keys[local];
  }
  if base + local + 128u < arrayLength(&data) {
    data[base + local + 128u] = keys[local + 128u];
  }
}
