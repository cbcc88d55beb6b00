// WGSL written by gpuc: kernel main

struct Inner {
  values: array<u32, 4>,
  sum: u32,
}

struct Outer {
  head: u32,
  inner: array<Inner, 2>,
}

@group(0) @binding(0) var<storage, read_write> cells: array<Outer>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
var<workgroup> shared_cells: array<Inner, 8>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  var outer_inner = array<Inner, 2>();
  let t = id.x & 1u;
  let t_1 = id.x << 1u;
  var counter = 0u;
  for (var i = 0u; i < 4u; i++) {
    outer_inner[t].values[i] = t_1 + i;
    outer_inner[t].values[i] += i;
    outer_inner[t].values[i] += i * 10u;
    outer_inner[t].sum += outer_inner[t].values[i];
    counter++;
  }
  for (var i = 0u; i < 4u; i++) {
    outer_inner[1].values[i] = i + 50u;
    outer_inner[1].values[i] += i;
    outer_inner[1].values[i] += i * 10u;
    outer_inner[1].sum += outer_inner[1].values[i];
    counter++;
  }
  let spare = id.x + 7u;
  let t_2 = outer_inner[0].values[0];
  outer_inner[0].values[0] = spare;
  outer_inner[1].values[3] = t_2;
  shared_cells[local] = outer_inner[1];
  workgroupBarrier();
  let t_3 = (local + 1u) & 7u;
  if id.x < arrayLength(&cells) {
    cells[id.x] = Outer(id.x, outer_inner);
    let t_4 = id.x & 3u;
    cells[id.x].inner[t].values[t_4] += 100u;
    cells[id.x].inner[t].sum += 100u;
    let t_5 = vec4u(counter, shared_cells[t_3].sum, shared_cells[t_3].values[3], outer_inner[0].values[0]);
    results[id.x] = t_5;
  }
}
