// A Cholesky factorisation of a 6×6 matrix in every invocation: a private array
// with dynamic indices and a triangular loop nest, which becomes values where the
// whole of it is unrolled.
const order = 6u;
const size = order * order;

@group(0) @binding(0) var<storage, read> matrices: array<array<f32, size>>;
@group(0) @binding(1) var<storage, read_write> factors: array<array<f32, size>>;

fn factorise(m: ptr<function, array<f32, size>>) {
  for (var j = 0u; j < order; j++) {
    for (var i = 0u; i < j; i++) {
      (*m)[i * order + j] = 0.0;
    }
    var diagonal = (*m)[j * order + j];
    for (var k = 0u; k < j; k++) {
      let l = (*m)[j * order + k];
      diagonal -= l * l;
    }
    diagonal = sqrt(diagonal);
    (*m)[j * order + j] = diagonal;
    for (var i = j + 1u; i < order; i++) {
      var sum = (*m)[i * order + j];
      for (var k = 0u; k < j; k++) {
        sum -= (*m)[i * order + k] * (*m)[j * order + k];
      }
      (*m)[i * order + j] = sum / diagonal;
    }
  }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&matrices) {
    return;
  }
  var m = matrices[id.x];
  factorise(&m);
  factors[id.x] = m;
}
