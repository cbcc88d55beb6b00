// k is 19, which ptxas puts in for it after it has fused sum and max: max(19 + 1, 0) comes of
// max(-k - 1, 0).
// @buffer d u32 3 3 1
// @buffer o i32 zeros 6
@group(0) @binding(0) var<storage, read> d: array<u32, 3>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 6>;

@compute @workgroup_size(1)
fn main() {
  var fuel = 3u;
  loop {
    if fuel == 0u {
      break;
    }
    fuel--;
    var k = 19;
    for (var turn = 0u; turn < 2u; turn++) {
      o[turn] = o[turn] * 3 + max(-k - 1, 0);
      o[turn + 2u] = o[turn + 2u] * 3 + max(k - 1, 0);
      k %= 33;
    }
    if d[2] >= 1u {
      break;
    }
  }
}
