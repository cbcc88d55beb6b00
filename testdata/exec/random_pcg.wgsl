// PCG32 (XSH RR): a 64-bit linear congruential generator in pairs of u32, so
// that a full 32×32 product is put together from 16-bit halves.
struct Wide {
  low: u32,
  high: u32,
}

@group(0) @binding(0) var<storage, read> seeds: array<Wide>;
@group(0) @binding(1) var<storage, read_write> numbers: array<array<u32, 4>>;

const factor = Wide(0x4c957f2du, 0x5851f42du);
const increment = Wide(0xf767814fu, 0x14057b7eu);

fn product(a: u32, b: u32) -> Wide {
  let p00 = (a & 0xffff) * (b & 0xffff);
  let p01 = (a & 0xffff) * (b >> 16);
  let p10 = (a >> 16) * (b & 0xffff);
  let p11 = (a >> 16) * (b >> 16);
  let middle = (p00 >> 16) + (p01 & 0xffff) + (p10 & 0xffff);
  return Wide((middle << 16) | (p00 & 0xffff), p11 + (p01 >> 16) + (p10 >> 16) + (middle >> 16));
}

fn times(a: Wide, b: Wide) -> Wide {
  let p = product(a.low, b.low);
  return Wide(p.low, p.high + a.low * b.high + a.high * b.low);
}

fn plus(a: Wide, b: Wide) -> Wide {
  let low = a.low + b.low;
  return Wide(low, a.high + b.high + u32(low < a.low));
}

fn shift_right(a: Wide, n: u32) -> Wide { // 0 < n < 32
  return Wide((a.low >> n) | (a.high << (32 - n)), a.high >> n);
}

fn output(state: Wide) -> u32 {
  var x = shift_right(state, 18);
  x.low ^= state.low;
  x.high ^= state.high;
  let word = shift_right(x, 27).low;
  let turn = state.high >> 27;
  return (word >> turn) | (word << ((32 - turn) & 31));
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&seeds) {
    return;
  }
  var state = seeds[i];
  for (var n = 0; n < 4; n++) {
    numbers[i][n] = output(state);
    state = plus(times(state, factor), increment);
  }
}
