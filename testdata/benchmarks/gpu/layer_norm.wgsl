// Layer normalisation of rows of n, one to a workgroup: sum and sum of squares in one
// pass, then each element scaled by gamma and moved by beta.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<immediate> n: u32;

var<workgroup> sums: array<f32, 256>;
var<workgroup> squares: array<f32, 256>;

@compute @workgroup_size(256)
fn layer_norm(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let row = group.x * n;
  var sum = 0.0;
  var square = 0.0;
  for (var i = t; i < n; i += 256) {
    let v = x[row + i];
    sum += v;
    square += v * v;
  }
  sums[t] = sum;
  squares[t] = square;
  workgroupBarrier();
  for (var w = 128u; w > 0; w /= 2) {
    if t < w {
      sums[t] += sums[t + w];
      squares[t] += squares[t + w];
    }
    workgroupBarrier();
  }
  let mean = sums[0] / f32(n);
  let scale = inverseSqrt(squares[0] / f32(n) - mean * mean + 1e-5);
  for (var i = t; i < n; i += 256) {
    y[row + i] = (x[row + i] - mean) * scale * gamma[i] + beta[i];
  }
}
