@group(0) @binding(0) var<storage, read_write> a: mat2x3f;
@group(0) @binding(1) var<storage, read_write> b: mat3x2f;
@group(0) @binding(2) var<storage, read_write> c: mat2x2f;
@group(0) @binding(3) var<storage, read_write> d: mat4x4f;
@group(0) @binding(4) var<storage, read_write> v: array<vec3f>;
@group(0) @binding(5) var<storage, read_write> e: mat3x3f;

@compute @workgroup_size(1)
fn main() {
  let m = a;
  let n = b;
  let x = v[0];
  c = n * m;
  v[1] = m * (x * m);
  a = m + m * 2.0 - transpose(n);
  c *= determinant(c);
  e = 0.5 * e;
  v[2].x = determinant(e) + determinant(d);
  b = mat3x2f(1, 0, x.y, 0, 1, x.z);
  c = mat2x2f(vec2f(x.x, 1), x.yz);
}
