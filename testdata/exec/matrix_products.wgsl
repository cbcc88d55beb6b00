// Products of all shapes: matrix by vector from both sides, matrix by matrix,
// by scalar, sums and differences, and transposes, on small whole numbers that
// are exact in every order of evaluation; determinants, for which WGSL states no
// bound, to a thousandth.
@group(0) @binding(0) var<storage, read> data: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> results: array<array<vec4f, 12>>;
@group(0) @binding(2) var<storage, read_write> determinants: array<vec4f>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let a = data[i];
  let b = data[i + 1u];
  let c = data[i + 2u];
  let m22 = mat2x2f(a.xy, b.zw);
  let m32 = mat3x2f(a.xy, b.xy, c.xy);
  let m23 = mat2x3f(a.xyz, b.yzw);
  let m42 = mat4x2f(a.xy, a.zw, b.xy, b.zw);
  let m24 = mat2x4f(b, c);
  let m33 = mat3x3f(a.xyz, b.xyz, c.xyz);
  let m34 = mat3x4f(a, b, c);
  let m43 = mat4x3f(a.xyz, b.yzw, c.xyz, a.wzy);
  let m44 = mat4x4f(a, b, c, vec4f(1.0, 2.0, 3.0, 4.0));
  var r: array<vec4f, 12>;
  r[0] = vec4f(m22 * a.xy, b.xy * m22);
  r[1] = vec4f(m32 * c.xyz, a.xy * transpose(m23 * m32)[0].xy);
  r[2] = m44 * a - b * m44;
  r[3] = vec4f(m43 * b, m22[0][1]);
  r[4] = vec4f(a * m34, m43[3].z);
  r[5] = (m34 * m43)[2];
  r[6] = vec4f((m43 * m34)[1], m44[1][i % 4u]);
  r[7] = (m24 * m42)[3];
  r[8] = transpose(m44)[i % 4u] + (2.0 * m44 - m44)[3];
  r[9] = vec4f((m22 + m22 * m22)[1], (m42 * m24)[0]);
  var n = m33;
  n *= m33;
  n[1] += n[0];
  n = n * 0.5;
  r[10] = vec4f(n[1], n[i % 3u][2]);
  var v = a.xyz;
  v = v * n;
  r[11] = vec4f(v, -m33[2].x);
  results[i] = r;
  determinants[i] = vec4f(determinant(m22), determinant(m33), determinant(m44), determinant(transpose(m33)));
}
