// Eight halves that lie together in 16 bytes: moved whole, turned around in a
// variable, and passed on to a neighbour through workgroup memory.
enable f16;

struct Eight {
  @align(16) lanes: array<f16, 8>,
}

@group(0) @binding(0) var<storage, read> given: array<Eight>;
@group(0) @binding(1) var<storage, read_write> turned: array<Eight>;
@group(0) @binding(2) var<storage, read_write> passed: array<Eight>;

var<workgroup> tile: array<Eight, 4>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  var mine: Eight;
  if id.x < arrayLength(&given) {
    mine = given[id.x];
  }
  tile[local] = mine;
  workgroupBarrier();
  for (var k = 0u; k < 4u; k++) {
    let low = mine.lanes[k];
    mine.lanes[k] = mine.lanes[7u - k] * 2h;
    mine.lanes[7u - k] = low - 1h;
  }
  if id.x < arrayLength(&turned) {
    turned[id.x] = mine;
    passed[id.x] = tile[(local + 1u) % 4u];
  }
}
