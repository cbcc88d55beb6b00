// xoshiro128++ (Blackman and Vigna): a generator whose state is a vec4u passed
// by pointer, seeded per invocation, run a number of draws that differs.
@group(0) @binding(0) var<storage, read> seeds: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<vec4u>;

fn rotate(x: u32, n: u32) -> u32 {
  return (x << n) | (x >> (32 - n));
}

fn draw(state: ptr<function, vec4u>) -> u32 {
  let result = rotate((*state).x + (*state).w, 7) + (*state).x;
  let t = (*state).y << 9;
  (*state).z ^= (*state).x;
  (*state).w ^= (*state).y;
  (*state).y ^= (*state).z;
  (*state).x ^= (*state).w;
  (*state).z ^= t;
  (*state).w = rotate((*state).w, 11);
  return result;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&seeds) {
    return;
  }
  var state = seeds[i];
  var sum = 0u;
  for (var n = 0u; n <= i % 29u; n++) {
    sum = sum * 31u + draw(&state);
  }
  numbers[i] = sum;
  states[i] = state;
}
