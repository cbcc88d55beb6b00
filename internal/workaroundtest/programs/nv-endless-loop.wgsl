// Nothing leaves the innermost loop, which never runs: d[1] ends the outer one before. The compiler
// does not come to an end.
// @override endless 1
// @override stops 0
// @buffer d i32 0 9
// @buffer own u32 zeros 8
override endless: bool = true;
override stops: bool = false;
@group(0) @binding(0) var<storage, read> d: array<i32, 2>;
@group(0) @binding(1) var<storage, read_write> own: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  var v = d[0];
  for (var at = v; at < 6; at++) {
    v = select(v, 8, at == v);
    if d[1] >= 7 {
      break;
    }
    var fuel = 6u;
    loop {
      if fuel == 0u {
        break;
      }
      fuel--;
      for (var k = 0u; k != 3u || endless; k++) {
        if stops {
          continue;
        }
        own[i] = min(i + 0x5992b514u, k) >> 1u;
      }
      continuing {
        break if stops;
      }
    }
  }
  own[i] ^= 5u;
}
