// Metal written by gpuc: kernel main_1
// language: -std=metal2.4
// mathematics: -ffast-math (MTLMathMode.relaxed)
#include <metal_stdlib>
using namespace metal;

struct Leaf {
  float weight;
  char gap[12];
  packed_uint3 tag;
  char gap_1[4];
};
static_assert(sizeof(Leaf) == 32, "the size of Leaf");

struct array_2_Leaf {
  Leaf at[2];
};

struct array_3_array_2_Leaf {
  array_2_Leaf at[3];
};

struct array_2_uint {
  uint at[2];
};

struct Branch {
  uint count;
  char gap[12];
  array_3_array_2_Leaf leaves;
  array_2_uint flags;
  char gap_1[8];
};
static_assert(sizeof(Branch) == 224, "the size of Branch");

struct Tree {
  uint2 header;
  uint total;
  uint length;
  Branch branches[1];
};

inline void copy_thread_device_Leaf(thread Leaf& to, device const Leaf& from) {
  to.weight = from.weight;
  to.tag[0] = from.tag[0];
  to.tag[1] = from.tag[1];
  to.tag[2] = from.tag[2];
}

inline Leaf load_device_Leaf(device const Leaf& from) {
  Leaf to;
  copy_thread_device_Leaf(to, from);
  return to;
}

inline uint uint_of_float(float x) {
  if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
    return 0;
  }
  return uint(min(max(float(x), 0.0f), 4294967040.0f));
}

inline void set_thread_packed_uint3(thread packed_uint3& to, uint3 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

inline Leaf make_Leaf(float x0, uint3 x1) {
  Leaf made;
  made.weight = x0;
  set_thread_packed_uint3(made.tag, x1);
  return made;
}

inline void copy_device_thread_Leaf(device Leaf& to, thread const Leaf& from) {
  to.weight = from.weight;
  to.tag[0] = from.tag[0];
  to.tag[1] = from.tag[1];
  to.tag[2] = from.tag[2];
}

[[max_total_threads_per_threadgroup(2)]]
kernel void main_1(
  device Tree& tree [[buffer(0)]],
  device uint4* picked [[buffer(1)]],
  constant uint* lengths [[buffer(2)]],
  uint3 id [[thread_position_in_grid]]
) {
  const uint i = id.x;
  if (i == 0u) {
    tree.length = lengths[0];
  }
  if (i >= lengths[0]) {
    return;
  }
  const uint a = i % 3u;
  const uint b = (i >> 1u) & 1u;
  const Leaf leaf = load_device_Leaf(tree.branches[i].leaves.at[a].at[b]);
  const uint3 t = uint3(leaf.tag);
  if (i < lengths[1]) {
    picked[i] = uint4(t.x, t.y, t.z, uint_of_float(leaf.weight));
  }
  tree.branches[i].leaves.at[(a + 1u) % 3u].at[b].tag[1] = i + tree.header.y;
  copy_device_thread_Leaf(tree.branches[i].leaves.at[a].at[1u - b], make_Leaf(leaf.weight + 0.5f, t.zyx));
  tree.branches[i].flags.at[b] ^= tree.branches[i].count;
}
