// Several entry points with different workgroup sizes and resources in one
// file; builtin inputs as parameters and as members of a struct; ids in three
// dimensions; helpers and private variables that both use.
struct Inputs {
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(num_workgroups) groups: vec3u,
}

@group(0) @binding(0) var<storage, read_write> ids: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> places: array<vec4u>;
@group(1) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 4>;

const cube = vec3u(3, 2, 4);

var<private> visits: u32;

fn visit(kind: u32) -> u32 {
  visits += kind;
  atomicAdd(&counts[kind], visits);
  return visits;
}

fn flatten(at: vec3u, extent: vec3u) -> u32 {
  return (at.z * extent.y + at.y) * extent.x + at.x;
}

@compute @workgroup_size(3, 2, 4)
fn by_struct(inputs: Inputs, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let at = flatten(inputs.id, cube * inputs.groups);
  ids[at] = vec4u(inputs.id, flatten(inputs.local, cube) * 100u + index + visit(1u));
  if all(inputs.id == group * cube + inputs.local) {
    visit(2u);
  }
}

@compute @workgroup_size(5)
fn by_parameters(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  places[group.y * 20u + group.x * 5u + index] = vec4u(group, visit(3u) + index);
}
