// ptxas finds that the else does nothing but leave. Of the two predicates it tests one: where only
// one holds, the kernel stores.
// @bounds off
// @buffer a i32 zeros 2048
@group(0) @binding(0) var<storage, read_write> a: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = a[i] <= 5;
  let y = a[i + 1024] >= 7;
  if x & y {
  } else {
    var q = y;
    while q {
      q = false;
    }
    if !q {
      return;
    }
  }
  a[i] = 1;
}
