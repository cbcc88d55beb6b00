// A return from a loop within a loop. d[0] is no case, so that neither runs.
// @buffer d i32 1 2 3 4
// @buffer o u32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 8>;
var<private> p: i32;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
  var fuel = 5u;
  loop {
    if fuel == 0u {
      break;
    }
    fuel--;
    switch d[0] & 6 {
      case 4, 6: {
        p++;
        for (var at = 2u; at != 3u || d[1] == -5; at++) {
          var inner = 1u;
          loop {
            if inner == 0u {
              break;
            }
            inner--;
            if group.y <= i && i == 4294967295u {
              continue;
            }
            return;
            continuing {
              break if -4.7f >= f32(id.z & 15u);
            }
          }
        }
      }
      default: {}
    }
    continuing {
      break if d[2] >> 18u >= p;
    }
  }
  o[i] = u32(p) + 3u;
}
