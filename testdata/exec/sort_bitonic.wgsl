// A bitonic sort of 256 elements in each workgroup: every comparator stage
// between two barriers, the last block filled up with the greatest number.
const size = 128u;
const block = 2u * size;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;

var<workgroup> keys: array<u32, block>;

fn load(at: u32) -> u32 {
  if at < arrayLength(&data) {
    return data[at];
  }
  return 0xffffffffu;
}

@compute @workgroup_size(size)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let base = group.x * block;
  keys[local] = load(base + local);
  keys[local + size] = load(base + local + size);
  workgroupBarrier();
  for (var run = 2u; run <= block; run <<= 1u) {
    for (var gap = run >> 1u; gap > 0u; gap >>= 1u) {
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
    }
  }
  if base + local < arrayLength(&data) {
    data[base + local] = keys[local];
  }
  if base + local + size < arrayLength(&data) {
    data[base + local + size] = keys[local + size];
  }
}
