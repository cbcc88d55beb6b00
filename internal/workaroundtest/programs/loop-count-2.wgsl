// k becomes negative when it wraps. The test for that is removed, as in C.
// @compiler nvidia ptxas
// @buffer o u32 zeros 2
@group(0) @binding(0) var<storage, read_write> o: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
  var k = 0;
  loop {
    if k < 0 {
      o[0] = 1;
    }
    o[1]++;
    k += 576971801;
    continuing {
      break if k >= 1746326986;
    }
  }
}
