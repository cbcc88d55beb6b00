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
  device const int* data [[buffer(0)]],
  device uint* kinds [[buffer(1)]],
  device uint* walks [[buffer(2)]],
  constant uint* lengths [[buffer(3)]],
  uint3 id [[thread_position_in_grid]]
) {
  if (id.x < lengths[0]) {
    const int t = data[id.x];
    uint r;
    switch (0) {
      default: {
        uint r_1;
        uint r_2;
        uint r_3;
        switch (t) {
          case -1: case -2: case 3: {
            r_1 = 1u;
            r_2 = 0u;
            r_3 = 0u;
            break;
          }
          default: {
            if (t > 100) {
              r_1 = 2u;
              r_2 = 0u;
              r_3 = 0u;
              break;
            }
            r_1 = 12u;
            r_2 = 0u;
            r_3 = 0u;
            break;
          }
          case 4: {
            r_1 = 0u;
            r_2 = 1u;
            r_3 = 3u;
            break;
          }
          case 5: {
            r_1 = 7u;
            r_2 = 0u;
            r_3 = 0u;
            break;
          }
        }
        if (r_2 == 1u) {
          r = r_3;
          break;
        }
        switch (uint(t) & 7u) {
          default: {
            r = r_1 * 100u;
            break;
          }
          case 1u: case 6u: {
            r = r_1 + 1000u;
            break;
          }
        }
        break;
      }
    }
    if (id.x < lengths[1]) {
      kinds[id.x] = r;
    }
    uint r_1;
    switch (0) {
      default: {
        uint trace_1;
        uint r_2;
        uint r_3;
        uint trace = id.x;
        uint i = 0u;
        while (true) {
          if (never()) { break; }
          if (i >= 12u) {
            trace_1 = trace;
            r_2 = 0u;
            r_3 = 0u;
            break;
          }
          uint trace_2;
          uint r_4;
          uint r_5;
          uint j = 0u;
          bool again = false;
          while (true) {
            if (never()) { break; }
            if (again) {
              j++;
            }
            again = true;
            const uint t_1 = trace + j;
            uint r_6;
            uint r_7;
            switch (t_1 % 5u) {
              case 0u: {
                trace = trace * 3u + 1u;
                continue;
              }
              case 1u: case 2u: {
                trace = t_1;
                r_6 = 0u;
                r_7 = 0u;
                break;
              }
              case 3u: {
                if (j > 6u) {
                  r_6 = 1u;
                  r_7 = trace;
                  trace = 0u;
                  break;
                }
                r_6 = 0u;
                r_7 = 0u;
                break;
              }
              default: {
                trace ^= 85u;
                r_6 = 0u;
                r_7 = 0u;
                break;
              }
            }
            if (r_6 == 1u) {
              trace_2 = 0u;
              r_4 = 1u;
              r_5 = r_7;
              break;
            }
            if (j >= i) {
              trace_2 = trace;
              r_4 = 0u;
              r_5 = 0u;
              break;
            }
            trace++;
          }
          if (r_4 == 1u) {
            trace_1 = 0u;
            r_2 = 1u;
            r_3 = r_5;
            break;
          }
          trace = trace_2;
          i++;
        }
        if (r_2 == 1u) {
          r_1 = r_3;
          break;
        }
        r_1 = trace_1;
        break;
      }
    }
    if (id.x < lengths[2]) {
      walks[id.x] = r_1;
    }
  }
}
