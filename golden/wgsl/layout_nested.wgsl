// WGSL written by gpuc: kernel main

struct Leaf {
  weight: f32,
  tag: vec3u,
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
  let b = (i >> 1u) & 1u;
  let leaf = tree.branches[i].leaves[a][b];
  picked[i] = vec4u(leaf.tag.x, leaf.tag.y, leaf.tag.z, u32(leaf.weight));
  tree.branches[i].leaves[(a + 1u) % 3u][b].tag.y = i + tree.header.y;
  tree.branches[i].leaves[a][1u - b] = Leaf(leaf.weight + 0.5, leaf.tag.zyx);
  tree.branches[i].flags[b] ^= tree.branches[i].count;
}
