// Stores to single components of vectors in storage leave the neighbours as
// they were, the padding behind a vec3 among them. (By WGSL a store to a
// component may touch the whole vector, so each vector has one invocation.)
// Swizzles on the reading side, dynamic components, compound assignment.
@group(0) @binding(0) var<storage, read_write> quads: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> triples: array<vec3u>;
@group(0) @binding(2) var<storage, read_write> swizzled: array<vec4u>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let v = id.x;
  if v >= arrayLength(&quads) {
    return;
  }
  let c = v / 2u % 4u;
  switch c {
    case 0u: {
      quads[v].x = v * 3u;
      triples[v].z += 7u;
    }
    case 1u: {
      quads[v][c] += 1000u;
      triples[v].y = 5u;
    }
    case 2u: {
      quads[v].b ^= 0xffu;
      triples[v].r--;
    }
    default: {
      quads[v][c] = v;
      triples[v][v % 3u] <<= 1u;
    }
  }
  var local = vec4u(v, 10u, 20u, 30u);
  local[v % 4u] += 5u;
  local.w = local.x + local.y;
  local.xy = local.yx;
  local.zyx.xz += vec2u(v, 1u); // z and x
  local.yw.x++;
  triples[v].zx ^= vec2u(1u, 2u);
  (&quads[v]).wz = vec2u(quads[v].z, v);
  let s = local.wzyx;
  let t = local.xxyy.zw;
  swizzled[v] = vec4u(s.xy, t) + s[v % 4u] * vec4u(local.bgr, 1u).abgr;
}
