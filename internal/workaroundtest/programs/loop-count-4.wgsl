// The second test would end the loop only after k wrapped. Its count is taken for the loop's: k > 4
// holds before the subtraction.
// @compiler mesa
// @buffer o u32 zeros 1
@group(0) @binding(0) var<storage, read_write> o: array<u32, 1>;

@compute @workgroup_size(1)
fn main() {
  var k = 5u;
  loop {
    if k == 0u {
      break;
    }
    k--;
    o[0]++;
    if k > 4u {
      break;
    }
  }
}
