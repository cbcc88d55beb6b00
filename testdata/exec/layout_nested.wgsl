// A struct that ends in a runtime-sized array of structs with arrays of arrays:
// arrayLength must subtract the header and divide by the stride, and dynamic
// indices walk through every level.
struct Leaf {
  weight: f32,
  tag: vec3u, // aligned to 16: the leaf takes 32 bytes
}

struct Branch {
  count: u32,
  leaves: array<array<Leaf, 2>, 3>,
  flags: array<u32, 2>,
}

struct Tree {
  header: vec2u,
  total: u32,
  length: u32,
  branches: array<Branch>,
}

@group(0) @binding(0) var<storage, read_write> tree: Tree;
@group(0) @binding(1) var<storage, read_write> picked: array<vec4u>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i == 0u {
    tree.length = arrayLength(&tree.branches);
  }
  if i >= arrayLength(&tree.branches) {
    return;
  }
  let a = i % 3u;
  let b = (i / 2u) % 2u;
  let leaf = tree.branches[i].leaves[a][b];
  picked[i] = vec4u(leaf.tag, u32(leaf.weight));
  tree.branches[i].leaves[(a + 1u) % 3u][b].tag.y = tree.header.y + i;
  tree.branches[i].leaves[a][1u - b] = Leaf(leaf.weight + 0.5, leaf.tag.zyx);
  tree.branches[i].flags[b] ^= tree.branches[i].count;
}
