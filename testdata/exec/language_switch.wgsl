// switch: several selectors in a clause, default in the middle and in a list
// with selectors, negative and unsigned selectors, and break and continue that
// leave the switch or the loop around it.
@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> kinds: array<u32>;
@group(0) @binding(2) var<storage, read_write> walks: array<u32>;

fn kind(x: i32) -> u32 {
  var r = 7u;
  switch x {
    case -1, -2, 3: {
      r = 1u;
    }
    default: {
      r = 2u;
      if x > 100 {
        break; // leaves the switch with r as it is
      }
      r += 10u;
    }
    case 4: {
      return 3u;
    }
    case 5, {
    }
  }
  switch bitcast<u32>(x) & 7u {
    case 0u, default {
      r *= 100u;
    }
    case 1u, 6u {
      r += 1000u;
    }
  }
  return r;
}

fn walk(start: u32) -> u32 {
  var trace = start;
  for (var i = 0u; i < 12u; i++) {
    for (var j = 0u; ; j++) {
      switch (trace + j) % 5u {
        case 0u: {
          trace = trace * 3u + 1u;
          continue; // the inner loop
        }
        case 1u, 2u: {
          trace += j;
          break; // the switch
        }
        case 3u: {
          if j > 6u {
            return trace;
          }
        }
        default: {
          trace ^= 0x55u;
        }
      }
      if j >= i {
        break; // the inner loop
      }
      trace += 1u;
    }
  }
  return trace;
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&data) {
    kinds[id.x] = kind(data[id.x]);
    walks[id.x] = walk(id.x);
  }
}
