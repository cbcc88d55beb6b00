// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> matrices: array<array<f32, 36>>;
@group(0) @binding(1) var<storage, read_write> factors: array<array<f32, 36>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var m: array<f32, 36>;
  if id.x >= arrayLength(&matrices) {
    return;
  }
  m = matrices[id.x];
  for (var j = 0u; j < 6u; j++) {
    for (var i = 0u; i < j; i++) {
      m[i * 6u + j] = 0.0;
    }
    let t = j * 6u;
    let t_1 = t + j;
    var diagonal = m[t_1];
    for (var k = 0u; k < j; k++) {
      let l = m[t + k];
      diagonal -= l * l;
    }
    let diagonal_1 = sqrt(diagonal);
    m[t_1] = diagonal_1;
    for (var i = j + 1u; i < 6u; i++) {
      let t_2 = i * 6u;
      let t_3 = t_2 + j;
      var sum = m[t_3];
      for (var k = 0u; k < j; k++) {
        sum -= m[t_2 + k] * m[t + k];
      }
      m[t_3] = sum / diagonal_1;
    }
  }
  factors[id.x] = m;
}
