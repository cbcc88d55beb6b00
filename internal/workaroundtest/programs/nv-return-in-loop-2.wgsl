// The shape alone.
// @buffer d u32 0 1 2 3
// @buffer o u32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var k = 1u; k != 0u; k++) {
    loop {
      o[i] += k;
      if i == d[0] {
        continue;
      }
      return;
      continuing {
        break if d[1] == 1u;
      }
    }
    if k > 3u {
      break;
    }
  }
  o[i] += 100u;
}
