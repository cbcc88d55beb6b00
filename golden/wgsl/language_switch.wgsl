// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> kinds: array<u32>;
@group(0) @binding(2) var<storage, read_write> walks: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&data) {
    let t = data[id.x];
    var r: u32;
    switch 0 {
      default {
        var r_1: u32;
        var r_2: u32;
        var r_3: u32;
        switch t {
          case -1, -2, 3 {
            r_1 = 1u;
            r_2 = 0u;
            r_3 = 0u;
          }
          default {
            if t > 100 {
              r_1 = 2u;
              r_2 = 0u;
              r_3 = 0u;
              break;
            }
            r_1 = 12u;
            r_2 = 0u;
            r_3 = 0u;
          }
          case 4 {
            r_1 = 0u;
            r_2 = 1u;
            r_3 = 3u;
          }
          case 5 {
            r_1 = 7u;
            r_2 = 0u;
            r_3 = 0u;
          }
        }
        if r_2 == 1u {
          r = r_3;
          break;
        }
        switch bitcast<u32>(t) & 7u {
          default {
            r = r_1 * 100u;
          }
          case 1u, 6u {
            r = r_1 + 1000u;
          }
        }
      }
    }
    kinds[id.x] = r;
    var r_1: u32;
    switch 0 {
      default {
        var trace_1: u32;
        var r_2: u32;
        var r_3: u32;
        var trace = id.x;
        var i = 0u;
        loop {
          if i >= 12u {
            trace_1 = trace;
            r_2 = 0u;
            r_3 = 0u;
            break;
          }
          var trace_2: u32;
          var r_4: u32;
          var r_5: u32;
          var j = 0u;
          loop {
            let t_1 = trace + j;
            var r_6: u32;
            var r_7: u32;
            switch t_1 % 5u {
              case 0u {
                trace = trace * 3u + 1u;
                continue;
              }
              case 1u, 2u {
                trace = t_1;
                r_6 = 0u;
                r_7 = 0u;
              }
              case 3u {
                if j > 6u {
                  r_6 = 1u;
                  r_7 = trace;
                  trace = 0u;
                  break;
                }
                r_6 = 0u;
                r_7 = 0u;
              }
              default {
                trace ^= 85u;
                r_6 = 0u;
                r_7 = 0u;
              }
            }
            if r_6 == 1u {
              trace_2 = 0u;
              r_4 = 1u;
              r_5 = r_7;
              break;
            }
            if j >= i {
              trace_2 = trace;
              r_4 = 0u;
              r_5 = 0u;
              break;
            }
            trace++;
            continuing {
              j++;
            }
          }
          if r_4 == 1u {
            trace_1 = 0u;
            r_2 = 1u;
            r_3 = r_5;
            break;
          }
          trace = trace_2;
          continuing {
            i++;
          }
        }
        if r_2 == 1u {
          r_1 = r_3;
          break;
        }
        r_1 = trace_1;
      }
    }
    walks[id.x] = r_1;
  }
}
