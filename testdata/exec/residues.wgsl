// Small matrices and transforms modulo primes, where results are exact: a determinant by
// elimination, a power by products of matrices through pointers, and a transform of sixteen
// numbers by butterflies in place.
const order = 4u;
const size = order * order;
const prime = 65521u;

alias Matrix = array<array<u32, order>, order>;

@group(0) @binding(0) var<storage, read> matrices: array<Matrix>;
@group(0) @binding(1) var<storage, read> signals: array<array<u32, 16>>;
@group(0) @binding(2) var<storage, read_write> determinants: array<u32>;
@group(0) @binding(3) var<storage, read_write> cubes: array<Matrix>;
@group(0) @binding(4) var<storage, read_write> spectra: array<array<u32, 16>>;

fn inverse(x: u32) -> u32 {
  var r = 1u;
  var square = x;
  for (var e = prime - 2u; e > 0u; e >>= 1u) {
    if (e & 1u) != 0u {
      r = r * square % prime;
    }
    square = square * square % prime;
  }
  return r;
}

// eliminate is right where no pivot is 0.
fn eliminate(m: ptr<function, Matrix>) -> u32 {
  var product = 1u;
  for (var k = 0u; k < order; k++) {
    product = product * m[k][k] % prime;
    let scale = inverse(m[k][k]);
    for (var i = k + 1u; i < order; i++) {
      let f = prime - m[i][k] * scale % prime;
      for (var j = k; j < order; j++) {
        m[i][j] = (m[i][j] + f * m[k][j]) % prime;
      }
    }
  }
  return product;
}

fn multiply(r: ptr<function, Matrix>, a: ptr<function, Matrix>, b: ptr<function, Matrix>) {
  for (var i = 0u; i < order; i++) {
    for (var j = 0u; j < order; j++) {
      var sum = 0u;
      for (var k = 0u; k < order; k++) {
        sum = (sum + a[i][k] * b[k][j]) % prime;
      }
      r[i][j] = sum;
    }
  }
}

fn butterfly(s: ptr<function, array<u32, 16>>, i: u32, j: u32, w: u32) {
  let x = s[i];
  let y = s[j] * w % 257u;
  s[i] = (x + y) % 257u;
  s[j] = (x + 257u - y) % 257u;
}

// 2 is a root of unity of order 16 modulo 257.
fn transform(s: ptr<function, array<u32, 16>>) {
  for (var i = 0u; i < 16u; i++) {
    let j = ((i & 1u) << 3u) | ((i & 2u) << 1u) | ((i & 4u) >> 1u) | (i >> 3u);
    if i < j {
      let x = s[i];
      s[i] = s[j];
      s[j] = x;
    }
  }
  for (var n = 1u; n < 16u; n *= 2u) {
    for (var i = 0u; i < 16u; i += 2u * n) {
      for (var j = 0u; j < n; j++) {
        butterfly(s, i + j, i + j + n, 1u << (8u / n * j));
      }
    }
  }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&determinants) {
    return;
  }
  var m = matrices[id.x];
  var square: Matrix;
  var cube: Matrix;
  multiply(&square, &m, &m);
  multiply(&cube, &square, &m);
  cubes[id.x] = cube;
  determinants[id.x] = eliminate(&m);
  var s = signals[id.x];
  transform(&s);
  spectra[id.x] = s;
}
