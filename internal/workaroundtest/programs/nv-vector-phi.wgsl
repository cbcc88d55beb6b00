// p changes its sign in each iteration. p.y is subtracted five times.
// @buffer d f32 1 2 3 4
// @buffer o f32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<f32, 4>;

@compute @workgroup_size(1)
fn main() {
  var p = vec2f(d[0], d[1]);
  var sum = vec3f(d[2], d[3], d[0]);
  for (var k = 0; k < 5; k++) {
    sum.z -= p.y;
    p = -p;
  }
  o[0] = sum.x;
  o[1] = sum.y;
  o[2] = sum.z;
}
