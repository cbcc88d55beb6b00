// Workgroup variables start at zero, whatever the workgroups before left there;
// structs, vectors, matrices and bools in workgroup memory; storageBarrier
// between invocations of one workgroup that talk through storage; a barrier in a
// branch that all invocations of the workgroup take together.
struct Cell {
  weight: f32,
  place: vec3u,
  marks: array<u32, 2>,
}

@group(0) @binding(0) var<storage, read_write> first: array<u32>;
@group(0) @binding(1) var<storage, read_write> exchange: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4u>;

const size = 24u;

var<workgroup> cells: array<Cell, size>;
var<workgroup> turned: array<mat2x2f, 2>;
var<workgroup> flags: array<bool, size>;
var<workgroup> counter: u32;

@compute @workgroup_size(size)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let at = group.x * size + local;
  let before = cells[local];
  first[at] = before.place.y + before.marks[1] + u32(before.weight) + u32(flags[local]) + counter
    + u32(turned[local % 2u][1].x);
  workgroupBarrier();

  cells[local] = Cell(f32(at), vec3u(at, at * 2u, 5u), array(local, group.x));
  flags[local] = local % 3u == 0u;
  if local < 4u {
    turned[local / 2u][local % 2u] = vec2f(f32(local), f32(group.x));
  }
  if local == 0u {
    counter = 1000u;
  }
  workgroupBarrier();

  let neighbour = cells[(local + 5u) % size];
  exchange[at] = neighbour.place.y + u32(neighbour.weight);
  storageBarrier();
  var other = exchange[group.x * size + (local + 1u) % size];
  if group.x % 2u == 0u {
    storageBarrier();
    exchange[group.x * size + (local + 1u) % size] = other + local;
    storageBarrier();
    other = exchange[at];
  }
  results[at] = vec4u(other, neighbour.marks[local % 2u], u32(turned[1][local % 2u].x) + counter, select(3u, 4u, flags[(local + 1u) % size]));
}
