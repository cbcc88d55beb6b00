// Functions that return from the middle of loops and switches, called in loops
// and within each other's arguments: what an inliner has to turn into structured
// control flow without losing what comes after.
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;

fn find(value: u32, start: u32) -> u32 {
  for (var i = start; i < arrayLength(&data); i++) {
    if data[i] == value {
      return i;
    }
    if data[i] > 240u {
      switch data[i] {
        case 250u, 251u: {
          return 1000u + i;
        }
        default: {}
      }
    }
  }
  return 9999u;
}

fn classify(x: u32) -> u32 {
  if x < 10u {
    return 0u;
  }
  if x < 100u {
    if x % 2u == 0u {
      return 1u;
    }
  } else {
    return 2u;
  }
  return 3u;
}

fn nested(x: u32) -> u32 {
  var r = 0u;
  for (var i = 0u; i < 8u; i++) {
    let c = classify(x + i * 13u);
    if c == 2u {
      return r + 100u;
    }
    while true {
      r += c;
      if r % 4u != 0u {
        break;
      }
      if r > 50u {
        return r;
      }
      r++;
    }
  }
  return r;
}

fn nothing(x: u32) {
  if x > 5u {
    return;
  }
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  nothing(i);
  let first = find(i * 3u % 256u, 0u);
  let second = find(i * 3u % 256u, select(first + 1u, 0u, first >= 1000u));
  results[i] = vec4u(first, second, nested(i), classify(nested(classify(i * 7u) * 40u)));
}
