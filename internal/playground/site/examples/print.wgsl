// What an invocation sees: printf and assert are there with -debug, and nothing is left of them without.
enable gpuc_debug;

@group(0) @binding(0) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let square = id.x * id.x;
  printf("invocation %d: %d squared is %d", id.x, id.x, square);
  assert(square < 100u, "small numbers only");
  x[id.x] = square;
}
