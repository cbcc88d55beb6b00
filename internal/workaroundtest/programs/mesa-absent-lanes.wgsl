// A lane without an invocation, which loads 0 and never breaks, spends the iterations that llvmpipe
// grants all loops of a kernel: each invocation counts to 2 instead of 7.
// @buffer own u32 1 1 1 1 1 1 1 1 1 1 1 1
@group(0) @binding(0) var<storage, read_write> own: array<u32>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
  let v = own[i] != 0u;
  for (var k = 0; k != 6; k++) {
    while true {
      own[i]++;
      if v {
        break;
      }
    }
  }
}
