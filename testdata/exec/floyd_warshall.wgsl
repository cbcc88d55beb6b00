// All shortest paths of a directed graph, in place: one dispatch per
// intermediate node, whose number is itself in a buffer that a second entry
// point advances. Distances saturate at "no path" instead of wrapping.
const nodes = 21u;
const no_path = 0xffffffffu;

@group(0) @binding(0) var<storage, read_write> distance_of: array<array<u32, nodes>, nodes>;
@group(0) @binding(1) var<storage, read_write> through: u32;

fn plus(a: u32, b: u32) -> u32 {
  return select(a + b, no_path, a == no_path || b == no_path);
}

@compute @workgroup_size(8, 8)
fn relax(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= vec2u(nodes)) {
    return;
  }
  let via = plus(distance_of[id.y][through], distance_of[through][id.x]);
  // Storing only a shorter path leaves the row and the column that all the
  // other invocations read untouched: there is no race.
  if via < distance_of[id.y][id.x] {
    distance_of[id.y][id.x] = via;
  }
}

@compute @workgroup_size(1)
fn advance() {
  through++;
}
