// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn steps(start: u32) -> u32 {
  var n = start;
  var count = 0u;
  loop {
    if n <= 1u {
      return count;
    }
    if n % 2u == 0u {
      n /= 2u;
    } else {
      if n >= 1431655765u {
        return 4294967295u;
      }
      n = 3u * n + 1u;
    }
    count++;
  }
  return 0u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&data) {
    let t = steps(data[id.x]);
    data[id.x] = t;
  }
}
