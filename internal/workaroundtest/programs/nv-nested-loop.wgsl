// The two loops become one. Invocations that have exchanged count on while others still try: 63
// comes of 96 * 21.
// @dispatch 3 1 1
// @buffer c u32 0
@group(0) @binding(0) var<storage, read_write> c: atomic<u32>;

@compute @workgroup_size(32)
fn main() {
  for (var k = 6u; k >= 1u; k--) {
    loop {
      let old = atomicLoad(&c);
      if atomicCompareExchangeWeak(&c, old, old + k).exchanged {
        break;
      }
    }
  }
}
