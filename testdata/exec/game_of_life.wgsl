// Three generations of Conway's Life on a torus whose sides are no multiple of
// the workgroup. The generations alternate between two buffers, so the step
// takes its boards as pointers to storage.
const width = 50u;
const height = 37u;

alias Board = array<u32, width * height>;

@group(0) @binding(0) var<storage, read_write> even: Board;
@group(0) @binding(1) var<storage, read_write> odd: Board;

fn step(before: ptr<storage, Board, read_write>, after: ptr<storage, Board, read_write>, at: vec2u) {
  if at.x >= width || at.y >= height {
    return;
  }
  var neighbours = 0u;
  for (var dy = 0u; dy < 3u; dy++) {
    for (var dx = 0u; dx < 3u; dx++) {
      if dx == 1u && dy == 1u {
        continue;
      }
      let x = (at.x + width + dx - 1u) % width;
      let y = (at.y + height + dy - 1u) % height;
      neighbours += before[y * width + x];
    }
  }
  let here = at.y * width + at.x;
  after[here] = u32(neighbours == 3u || (neighbours == 2u && before[here] == 1u));
}

@compute @workgroup_size(8, 8)
fn even_to_odd(@builtin(global_invocation_id) id: vec3u) {
  step(&even, &odd, id.xy);
}

@compute @workgroup_size(8, 8)
fn odd_to_even(@builtin(global_invocation_id) id: vec3u) {
  step(&odd, &even, id.xy);
}
