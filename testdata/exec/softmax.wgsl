// Softmax of the rows of a matrix, a workgroup for each: a maximum and a sum
// through workgroup memory with the same helper taking a pointer to it, exp,
// division, and a row length that is no multiple of the workgroup.
const size = 32u;
const width = 75u;

@group(0) @binding(0) var<storage, read_write> rows: array<array<f32, width>>;

var<workgroup> scratch: array<f32, size>;

fn reduce(values: ptr<workgroup, array<f32, size>>, local: u32, mine: f32, greatest: bool) -> f32 {
  values[local] = mine;
  workgroupBarrier();
  for (var stride = size / 2u; stride > 0u; stride /= 2u) {
    if local < stride {
      let a = values[local];
      let b = values[local + stride];
      values[local] = select(a + b, max(a, b), greatest);
    }
    workgroupBarrier();
  }
  let result = values[0];
  workgroupBarrier();
  return result;
}

@compute @workgroup_size(size)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let row = group.x;
  var most = -1e30;
  for (var k = local; k < width; k += size) {
    most = max(most, rows[row][k]);
  }
  most = reduce(&scratch, local, most, true);
  var sum = 0.0;
  for (var k = local; k < width; k += size) {
    let e = exp(rows[row][k] - most);
    rows[row][k] = e;
    sum += e;
  }
  sum = reduce(&scratch, local, sum, false);
  for (var k = local; k < width; k += size) {
    rows[row][k] /= sum;
  }
}
