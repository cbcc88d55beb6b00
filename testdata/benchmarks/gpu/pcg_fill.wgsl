// Pseudo-random numbers, each of its place alone: the hash PCG RXS M XS.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read_write> a: array<u32>;

var<immediate> seed: u32;

fn pcg(v: u32) -> u32 {
  let state = v * 747796405 + 2891336453;
  let word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737;
  return (word >> 22) ^ word;
}

@compute @workgroup_size(256)
fn pcg_fill(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&a) {
    a[i] = pcg(i ^ pcg(seed));
  }
}
