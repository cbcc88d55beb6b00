// The softmax of rows of n, one to a workgroup: maximum, sum of exponentials, quotients.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<immediate> n: u32;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn softmax(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let row = group.x * n;
  var most = -1e30;
  for (var i = t; i < n; i += 256) {
    most = max(most, x[row + i]);
  }
  part[t] = most;
  workgroupBarrier();
  for (var w = 128u; w > 0; w /= 2) {
    if t < w {
      part[t] = max(part[t], part[t + w]);
    }
    workgroupBarrier();
  }
  most = part[0];
  workgroupBarrier();
  var sum = 0.0;
  for (var i = t; i < n; i += 256) {
    sum += exp(x[row + i] - most);
  }
  part[t] = sum;
  workgroupBarrier();
  for (var w = 128u; w > 0; w /= 2) {
    if t < w {
      part[t] += part[t + w];
    }
    workgroupBarrier();
  }
  let scale = 1 / part[0];
  for (var i = t; i < n; i += 256) {
    y[row + i] = exp(x[row + i] - most) * scale;
  }
}
