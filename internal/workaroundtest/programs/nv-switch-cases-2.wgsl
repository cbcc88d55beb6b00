// The same with an if in the place of the switch.
// @buffer d u32 1 2 3 4
// @buffer o u32 zeros 16
@group(0) @binding(0) var<storage, read> d: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 16>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) place: u32) {
  if place == 15u || place == 7u {
    var k = 3u;
    loop {
      if k == 0u {
        break;
      }
      k--;
      o[place] += 2u;
      if place == 7u {
        o[place] = o[place] * 3u + d[1];
      }
    }
  }
}
