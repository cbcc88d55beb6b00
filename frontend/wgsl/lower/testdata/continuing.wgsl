// A continuing block sees the lets of the loop's body: they come to it through
// variables, and pointers are made again.
@group(0) @binding(0) var<storage, read_write> data: array<array<u32, 4>>;

fn next(x: u32) -> u32 {
  return x * 3u;
}

@compute @workgroup_size(1)
fn main() {
  let outside = data[0][1];
  var i = 0u;
  loop {
    let a = next(i);
    let again = a;
    let p = &data[i];
    let q = &(*p)[a];
    let direct = outside;
    if a == 7u {
      continue;
    }
    i = again + 2u;
    continuing {
      i += a + direct;
      *q = a;
      loop {
        let b = i;
        continuing {
          i = b + a;
          break if b > 3u;
        }
      }
      break if again > 9u || i > 5u;
    }
  }
}

// Nothing leaves the loop in the continuing block, which ends by its next all the same.
@compute @workgroup_size(1)
fn endless() {
  loop {
    if data[0][0] == 0u {
      continue;
    }
    return;
    continuing {
      while true {
        data[0][1] = 1u;
      }
    }
  }
}
