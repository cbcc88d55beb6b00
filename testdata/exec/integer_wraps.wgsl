// Signed integers wrap: loops that count beyond the largest one, by steps, by
// products and by shifts, and what comparisons say of the absolute value.
@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 5>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = data[id.x];
  var negative = 0u;
  var k = x & 1023;
  loop {
    if k < 0 {
      negative++;
    }
    k += 576971801;
    continuing {
      break if k >= 1746326986;
    }
  }
  results[id.x][0] = negative * 100u + u32(k & 63);
  var below = 0u;
  for (var i = x | 1; i < 2000000000 && below < 40u; i -= 700000000) {
    below++;
  }
  results[id.x][1] = below;
  var product = 1;
  var steps = 0u;
  while product > -1000000 && steps < 50u {
    product = product * 3 + (x & 3);
    steps++;
  }
  results[id.x][2] = steps;
  var flags = 0u;
  if -abs(x) > -3 { flags |= 1u; }
  if -abs(x) >= -1000 { flags |= 2u; }
  if 0 - abs(x) < -5 { flags |= 4u; }
  if abs(x) * -1 == -7 { flags |= 8u; }
  if abs(x) < 0 { flags |= 16u; }
  results[id.x][3] = flags;
  var shifted = x;
  var shifts = 0u;
  while shifted != 0 && shifted < 1000000000 && shifts < 32u {
    shifted <<= 1u;
    shifts++;
  }
  results[id.x][4] = shifts;
}
