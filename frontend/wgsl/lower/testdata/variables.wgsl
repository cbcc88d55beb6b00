// A variable moves to the entry; its declaration stores the initial value each
// time control passes it.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> counter: u32 = 7;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
  let a = i + 1u;
  var b = a;
  var c: vec2f;
  for (var k = 0u; k < 3u; k++) {
    var inner: u32;
    inner += b;
    b = inner;
    const two = 2;
    counter = two;
  }
  _ = a * b;
  _ = 1 << 40u;
  _ = c;
  out[i] = b;
}
