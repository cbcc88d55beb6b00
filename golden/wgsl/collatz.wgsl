// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&data) {
    let n = data[id.x];
    var r: u32;
    switch 0 {
      default {
        var r_1: u32;
        var r_2: u32;
        var n_1 = n;
        var count = 0u;
        loop {
          if n_1 <= 1u {
            r_1 = 1u;
            r_2 = count;
            break;
          }
          var n_2: u32;
          if (n_1 & 1u) == 0u {
            n_2 = n_1 >> 1u;
          } else {
            if n_1 >= 1431655765u {
              r_1 = 1u;
              r_2 = 4294967295u;
              break;
            }
            n_2 = n_1 * 3u + 1u;
          }
          n_1 = n_2;
          count++;
        }
        if r_1 == 1u {
          r = r_2;
          break;
        }
      }
    }
    data[id.x] = r;
  }
}
