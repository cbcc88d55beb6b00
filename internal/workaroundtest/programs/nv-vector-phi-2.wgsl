// The same with integers, and a difference with a constant.
// @buffer d i32 1 2 3 4
// @buffer o i32 zeros 4
@group(0) @binding(0) var<storage, read> d: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<i32, 4>;

@compute @workgroup_size(1)
fn main() {
  var p = vec3i(d[0], d[1], d[2]);
  var sum = vec3i();
  for (var k = 0; k < d[3]; k++) {
    sum.y += p.z;
    p = vec3i(3) - p;
  }
  o[0] = sum.x;
  o[1] = sum.y;
  o[2] = sum.z;
}
