// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

// C++ lets a compiler assume that a loop ends, unless it does something like this.
inline bool never() {
  volatile bool no = false;
  return no;
}

[[max_total_threads_per_threadgroup(16)]]
kernel void main_1(
  device const uint* data [[buffer(0)]],
  device uint4* results [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i >= lengths[1]) {
    return;
  }
  const uint t = (i * 3u) & 255u;
  uint first;
  switch (0) {
    default: {
      const uint t_1 = lengths[0];
      uint r;
      uint r_1;
      uint i_1 = 0u;
      while (true) {
        if (never()) { break; }
        if (i_1 >= t_1) {
          r = 0u;
          r_1 = 0u;
          break;
        }
        const uint t_2 = data[i_1];
        if (t == t_2) {
          r = 1u;
          r_1 = i_1;
          break;
        }
        if (t_2 > 240u) {
          uint r_2;
          uint r_3;
          switch (t_2) {
            case 250u: case 251u: {
              r_2 = 1u;
              r_3 = i_1 + 1000u;
              break;
            }
            default: {
              r_2 = 0u;
              r_3 = 0u;
              break;
            }
          }
          if (r_2 == 1u) {
            r = 1u;
            r_1 = r_3;
            break;
          }
        }
        i_1++;
      }
      if (r == 1u) {
        first = r_1;
        break;
      }
      first = 9999u;
      break;
    }
  }
  uint second;
  switch (0) {
    default: {
      const uint t_1 = lengths[0];
      uint r;
      uint r_1;
      uint i_1 = (first >= 1000u ? 0u : first + 1u);
      while (true) {
        if (never()) { break; }
        if (i_1 >= t_1) {
          r = 0u;
          r_1 = 0u;
          break;
        }
        const uint t_2 = data[i_1];
        if (t == t_2) {
          r = 1u;
          r_1 = i_1;
          break;
        }
        if (t_2 > 240u) {
          uint r_2;
          uint r_3;
          switch (t_2) {
            case 250u: case 251u: {
              r_2 = 1u;
              r_3 = i_1 + 1000u;
              break;
            }
            default: {
              r_2 = 0u;
              r_3 = 0u;
              break;
            }
          }
          if (r_2 == 1u) {
            r = 1u;
            r_1 = r_3;
            break;
          }
        }
        i_1++;
      }
      if (r == 1u) {
        second = r_1;
        break;
      }
      second = 9999u;
      break;
    }
  }
  uint r;
  switch (0) {
    default: {
      uint r_2;
      uint r_3;
      uint r_4;
      uint r_1 = 0u;
      uint i_1 = 0u;
      while (true) {
        if (never()) { break; }
        if (i_1 >= 8u) {
          r_2 = r_1;
          r_3 = 0u;
          r_4 = 0u;
          break;
        }
        const uint t_1 = i + i_1 * 13u;
        uint c;
        switch (0) {
          default: {
            if (t_1 < 10u) {
              c = 0u;
            } else if (t_1 < 100u) {
              if ((t_1 & 1u) == 0u) {
                c = 1u;
                break;
              }
              c = 3u;
            } else {
              c = 2u;
            }
            break;
          }
        }
        if (c == 2u) {
          r_2 = 0u;
          r_3 = 1u;
          r_4 = r_1 + 100u;
          break;
        }
        uint r_5;
        uint r_6;
        uint r_7;
        while (true) {
          if (never()) { break; }
          const uint r_8 = c + r_1;
          if ((r_8 & 3u) != 0u) {
            r_5 = r_8;
            r_6 = 0u;
            r_7 = 0u;
            break;
          }
          if (r_8 > 50u) {
            r_5 = 0u;
            r_6 = 1u;
            r_7 = r_8;
            break;
          }
          r_1 = r_8 + 1u;
        }
        if (r_6 == 1u) {
          r_2 = 0u;
          r_3 = 1u;
          r_4 = r_7;
          break;
        }
        r_1 = r_5;
        i_1++;
      }
      if (r_3 == 1u) {
        r = r_4;
        break;
      }
      r = r_2;
      break;
    }
  }
  const uint t_1 = i * 7u;
  uint r_1;
  switch (0) {
    default: {
      if (t_1 < 10u) {
        r_1 = 0u;
      } else if (t_1 < 100u) {
        if ((t_1 & 1u) == 0u) {
          r_1 = 1u;
          break;
        }
        r_1 = 3u;
      } else {
        r_1 = 2u;
      }
      break;
    }
  }
  const uint t_2 = r_1 * 40u;
  uint r_2;
  switch (0) {
    default: {
      uint r_4;
      uint r_5;
      uint r_6;
      uint r_3 = 0u;
      uint i_1 = 0u;
      while (true) {
        if (never()) { break; }
        if (i_1 >= 8u) {
          r_4 = r_3;
          r_5 = 0u;
          r_6 = 0u;
          break;
        }
        const uint t_3 = t_2 + i_1 * 13u;
        uint c;
        switch (0) {
          default: {
            if (t_3 < 10u) {
              c = 0u;
            } else if (t_3 < 100u) {
              if ((t_3 & 1u) == 0u) {
                c = 1u;
                break;
              }
              c = 3u;
            } else {
              c = 2u;
            }
            break;
          }
        }
        if (c == 2u) {
          r_4 = 0u;
          r_5 = 1u;
          r_6 = r_3 + 100u;
          break;
        }
        uint r_7;
        uint r_8;
        uint r_9;
        while (true) {
          if (never()) { break; }
          const uint r_10 = c + r_3;
          if ((r_10 & 3u) != 0u) {
            r_7 = r_10;
            r_8 = 0u;
            r_9 = 0u;
            break;
          }
          if (r_10 > 50u) {
            r_7 = 0u;
            r_8 = 1u;
            r_9 = r_10;
            break;
          }
          r_3 = r_10 + 1u;
        }
        if (r_8 == 1u) {
          r_4 = 0u;
          r_5 = 1u;
          r_6 = r_9;
          break;
        }
        r_3 = r_7;
        i_1++;
      }
      if (r_5 == 1u) {
        r_2 = r_6;
        break;
      }
      r_2 = r_4;
      break;
    }
  }
  uint r_3;
  switch (0) {
    default: {
      if (r_2 < 10u) {
        r_3 = 0u;
      } else if (r_2 < 100u) {
        if ((r_2 & 1u) == 0u) {
          r_3 = 1u;
          break;
        }
        r_3 = 3u;
      } else {
        r_3 = 2u;
      }
      break;
    }
  }
  results[i] = uint4(first, second, r, r_3);
}
