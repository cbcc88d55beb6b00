// A step of a bitonic sort of the whole array: elements at distance j, in blocks of k.
requires immediate_address_space;

struct Step { j: u32, k: u32 }

@group(0) @binding(0) var<storage, read_write> a: array<u32>;

var<immediate> step: Step;

@compute @workgroup_size(256)
fn bitonic(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let other = i ^ step.j;
  if other > i && other < arrayLength(&a) {
    let x = a[i];
    let y = a[other];
    if (x > y) == ((i & step.k) == 0) {
      a[i] = y;
      a[other] = x;
    }
  }
}
