// Matrices and vec3 in storage: columns of three scalars take four, mat3x2 has
// columns of eight bytes, members follow WGSL's alignment, and explicit align
// and size move them. Every value goes to a plain array; then columns,
// elements and whole matrices are stored back.
struct Matrices {
  a: mat2x2f,
  b: mat3x2f,
  c: f32,
  d: mat4x3f,
  e: mat2x3f,
  f: f32,
  g: vec3f,
  h: f32,
  @align(32) i: vec2f,
  @size(24) j: f32,
  k: mat3x3f,
  l: mat2x4f,
}

@group(0) @binding(0) var<storage, read> given: array<Matrices, 3>;
@group(0) @binding(1) var<storage, read_write> plain: array<array<f32, 54>, 3>;
@group(0) @binding(2) var<storage, read_write> stored: array<Matrices, 3>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  let n = group.x;
  var at = 0u;
  let m = given[n];
  for (var c = 0u; c < 2u; c++) {
    for (var r = 0u; r < 2u; r++) { plain[n][at] = m.a[c][r]; at++; }
  }
  for (var c = 0u; c < 3u; c++) {
    for (var r = 0u; r < 2u; r++) { plain[n][at] = given[n].b[c][r]; at++; }
  }
  plain[n][at] = m.c; at++;
  for (var c = 0u; c < 4u; c++) {
    let column = given[n].d[c];
    for (var r = 0u; r < 3u; r++) { plain[n][at] = column[r]; at++; }
  }
  for (var c = 0u; c < 2u; c++) {
    for (var r = 0u; r < 3u; r++) { plain[n][at] = m.e[c][r]; at++; }
  }
  plain[n][at] = m.f; at++;
  for (var r = 0u; r < 3u; r++) { plain[n][at] = given[n].g[r]; at++; }
  plain[n][at] = m.h; at++;
  plain[n][at] = m.i.x; at++;
  plain[n][at] = given[n].i.y; at++;
  plain[n][at] = m.j; at++;
  for (var c = 0u; c < 3u; c++) {
    for (var r = 0u; r < 3u; r++) { plain[n][at] = m.k[c][r]; at++; }
  }
  for (var c = 0u; c < 2u; c++) {
    for (var r = 0u; r < 4u; r++) { plain[n][at] = given[n].l[c][r]; at++; }
  }

  stored[n].a = m.a * 2.0;
  stored[n].b[n] = m.b[2];
  stored[n].c = 1.0;
  stored[n].d = m.d;
  stored[n].d[1].y += 100.0;
  stored[n].e[n % 2u] = vec3f(1.0, 2.0, 3.0);
  stored[n].g = m.g + 1.0; // h behind it must stay
  stored[n].k[n][1] = 5.0;
  stored[n].l = m.l;
}
