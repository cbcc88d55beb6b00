// a[2].y is read before it is stored, and 7 is read.
// @buffer d u32 1
// @buffer o f32 5 5
@group(0) @binding(0) var<storage, read> d: array<u32, 1>;
@group(0) @binding(1) var<storage, read_write> o: array<f32, 2>;
var<private> a: array<vec4f, 3>;

@compute @workgroup_size(1)
fn main() {
  let b = a[min(d[0], 2u)].x;
  o[0] = a[2].y;
  a[2].y = 7.0;
  o[1] = b + a[min(d[0] + 1u, 2u)].y;
}
