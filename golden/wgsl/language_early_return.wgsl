// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let t = (i * 3u) & 255u;
  var first: u32;
  switch 0 {
    default {
      let t_1 = arrayLength(&data);
      var r: u32;
      var r_1: u32;
      var i_1 = 0u;
      loop {
        if i_1 >= t_1 {
          r = 0u;
          r_1 = 0u;
          break;
        }
        let t_2 = data[i_1];
        if t == t_2 {
          r = 1u;
          r_1 = i_1;
          break;
        }
        if t_2 > 240u {
          var r_2: u32;
          var r_3: u32;
          switch t_2 {
            case 250u, 251u {
              r_2 = 1u;
              r_3 = i_1 + 1000u;
            }
            default {
              r_2 = 0u;
              r_3 = 0u;
            }
          }
          if r_2 == 1u {
            r = 1u;
            r_1 = r_3;
            break;
          }
        }
        continuing {
          i_1++;
        }
      }
      if r == 1u {
        first = r_1;
        break;
      }
      first = 9999u;
    }
  }
  var second: u32;
  switch 0 {
    default {
      let t_1 = arrayLength(&data);
      var r: u32;
      var r_1: u32;
      var i_1 = select(first + 1u, 0u, first >= 1000u);
      loop {
        if i_1 >= t_1 {
          r = 0u;
          r_1 = 0u;
          break;
        }
        let t_2 = data[i_1];
        if t == t_2 {
          r = 1u;
          r_1 = i_1;
          break;
        }
        if t_2 > 240u {
          var r_2: u32;
          var r_3: u32;
          switch t_2 {
            case 250u, 251u {
              r_2 = 1u;
              r_3 = i_1 + 1000u;
            }
            default {
              r_2 = 0u;
              r_3 = 0u;
            }
          }
          if r_2 == 1u {
            r = 1u;
            r_1 = r_3;
            break;
          }
        }
        continuing {
          i_1++;
        }
      }
      if r == 1u {
        second = r_1;
        break;
      }
      second = 9999u;
    }
  }
  var r: u32;
  switch 0 {
    default {
      var r_2: u32;
      var r_3: u32;
      var r_4: u32;
      var r_1 = 0u;
      var i_1 = 0u;
      loop {
        if i_1 >= 8u {
          r_2 = r_1;
          r_3 = 0u;
          r_4 = 0u;
          break;
        }
        let t_1 = i + i_1 * 13u;
        var c: u32;
        switch 0 {
          default {
            if t_1 < 10u {
              c = 0u;
            } else if t_1 < 100u {
              if (t_1 & 1u) == 0u {
                c = 1u;
                break;
              }
              c = 3u;
            } else {
              c = 2u;
            }
          }
        }
        if c == 2u {
          r_2 = 0u;
          r_3 = 1u;
          r_4 = r_1 + 100u;
          break;
        }
        var r_5: u32;
        var r_6: u32;
        var r_7: u32;
        loop {
          let r_8 = c + r_1;
          if (r_8 & 3u) != 0u {
            r_5 = r_8;
            r_6 = 0u;
            r_7 = 0u;
            break;
          }
          if r_8 > 50u {
            r_5 = 0u;
            r_6 = 1u;
            r_7 = r_8;
            break;
          }
          r_1 = r_8 + 1u;
        }
        if r_6 == 1u {
          r_2 = 0u;
          r_3 = 1u;
          r_4 = r_7;
          break;
        }
        r_1 = r_5;
        continuing {
          i_1++;
        }
      }
      if r_3 == 1u {
        r = r_4;
        break;
      }
      r = r_2;
    }
  }
  let t_1 = i * 7u;
  var r_1: u32;
  switch 0 {
    default {
      if t_1 < 10u {
        r_1 = 0u;
      } else if t_1 < 100u {
        if (t_1 & 1u) == 0u {
          r_1 = 1u;
          break;
        }
        r_1 = 3u;
      } else {
        r_1 = 2u;
      }
    }
  }
  let t_2 = r_1 * 40u;
  var r_2: u32;
  switch 0 {
    default {
      var r_4: u32;
      var r_5: u32;
      var r_6: u32;
      var r_3 = 0u;
      var i_1 = 0u;
      loop {
        if i_1 >= 8u {
          r_4 = r_3;
          r_5 = 0u;
          r_6 = 0u;
          break;
        }
        let t_3 = t_2 + i_1 * 13u;
        var c: u32;
        switch 0 {
          default {
            if t_3 < 10u {
              c = 0u;
            } else if t_3 < 100u {
              if (t_3 & 1u) == 0u {
                c = 1u;
                break;
              }
              c = 3u;
            } else {
              c = 2u;
            }
          }
        }
        if c == 2u {
          r_4 = 0u;
          r_5 = 1u;
          r_6 = r_3 + 100u;
          break;
        }
        var r_7: u32;
        var r_8: u32;
        var r_9: u32;
        loop {
          let r_10 = c + r_3;
          if (r_10 & 3u) != 0u {
            r_7 = r_10;
            r_8 = 0u;
            r_9 = 0u;
            break;
          }
          if r_10 > 50u {
            r_7 = 0u;
            r_8 = 1u;
            r_9 = r_10;
            break;
          }
          r_3 = r_10 + 1u;
        }
        if r_8 == 1u {
          r_4 = 0u;
          r_5 = 1u;
          r_6 = r_9;
          break;
        }
        r_3 = r_7;
        continuing {
          i_1++;
        }
      }
      if r_5 == 1u {
        r_2 = r_6;
        break;
      }
      r_2 = r_4;
    }
  }
  var r_3: u32;
  switch 0 {
    default {
      if r_2 < 10u {
        r_3 = 0u;
      } else if r_2 < 100u {
        if (r_2 & 1u) == 0u {
          r_3 = 1u;
          break;
        }
        r_3 = 3u;
      } else {
        r_3 = 2u;
      }
    }
  }
  results[i] = vec4u(first, second, r, r_3);
}
