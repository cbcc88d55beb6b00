// The block of two cases tests the selector again. Its loop is too short for place 7.
// @buffer d u32 1 2 3 4
// @buffer o u32 zeros 16
@group(0) @binding(0) var<storage, read> d: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 16>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) place: u32) {
  switch place {
    case 15u, 7u: {
      var k = 3u;
      loop {
        if k == 0u {
          break;
        }
        k--;
        o[place] += 2u;
        switch place % 5u {
          case 2u: {
            o[place] = o[place] * 3u + d[1];
          }
          case 0u: {
            o[place] += d[2];
          }
          default: {}
        }
      }
    }
    default: {
      o[place] = 1u;
    }
  }
}
