struct Inner {
  v: vec4f,
  m: mat2x3f,
}

struct Outer {
  n: u32,
  inner: array<Inner, 4>,
  table: array<f32, 64>,
}

@group(0) @binding(0) var<storage, read_write> a: Outer;
@group(0) @binding(1) var<uniform> u: vec4f;
var<workgroup> tile: array<array<f32, 8>, 8>;
var<private> p: vec3f;

fn fill(place: ptr<function, vec4f>, k: u32) {
  *place = vec4f(1, 2, 3, 4);
  (*place).y += 1.0;
  place.z = place[k];
  place[k] = place.xy.x;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
  var v = u;
  fill(&v, i);
  v.x = a.inner[i].v.y;
  v[i] = v.z;
  v[1] = p[i] + u.w + u[i];
  p.x = a.inner[2].m[1][i];
  a.inner[i].m[1].z = a.inner[i].v.wzyx.x + dot(a.inner[i].v.xyz, p);
  tile[i][2 * i] = (*&tile[i])[1];
  var local: Outer;
  local = a;
  a.table = local.table;
  let row = &tile[i];
  (*row)[i] -= 1;
  row[1] *= 2.0;
  let values = array(1u, 2u, 3u);
  a.n = values[i] + array(5u, 6u)[i] + vec2u(7u, 8u)[i] + local.n;
  let matrix = a.inner[0].m;
  p = matrix[i & 1] + matrix[1];
}
