// What an optimiser removes must be exactly what cannot matter: loops that run
// zero times, conditions that are constants, branches of which both sides are
// the same, stores overwritten before anything reads them and stores that only
// look so, functions that no one calls, and a call whose result is dropped but
// whose store is not.
override debug: bool = false;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
@group(0) @binding(2) var<storage, read> ignored: array<u32>; // bound, but of no effect

var<private> effects: u32;

fn unused(x: u32) -> u32 {
  return unused_too(x) + 1u;
}

fn unused_too(x: u32) -> u32 {
  return x / 0x10u;
}

fn effect(x: u32) -> u32 {
  effects ^= x << 1u;
  return x;
}

fn slot(i: u32) -> u32 {
  var slots = array(1u, 2u, 3u, 4u);
  slots[1] = 99u; // read by no one if i is not 1
  slots[i % 4u] = 5u;
  slots[1] += 1u;
  return slots[i % 4u] * 100u + slots[1];
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  _ = ignored[0];
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let zero = data[0] & 0u;
  var r = vec4u(7u);
  r = vec4u(data[i]);
  for (var k = i; k < zero; k++) {
    r.x = 12345u;
  }
  while false {
    r.y += effect(100u);
  }
  loop {
    r.y++;
    if true {
      break;
    }
    r.y = 0u;
  }
  if debug {
    r.z = 1u;
  } else if data[i] * 0u == 1u {
    r.z = 2u;
  }
  if i % 2u == 0u {
    r.z += 3u;
  } else {
    r.z += 3u;
  }
  _ = effect(i);
  effect(3u);
  let both = data[i] - data[i] + (data[i] ^ data[i]) + (data[i] & ~data[i]);
  r.w = slot(i) + both + effects * 0x10000u;
  results[i] = r;
  results[i].x = results[i].x + 1u; // the load must see the store before it
}
