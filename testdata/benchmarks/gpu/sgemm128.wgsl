// C = A·B of n×n matrices, row-major: a workgroup has a 128×128 tile of C, an
// invocation 8×8 of it, and 8 columns of A and rows of B are in workgroup memory at a
// time, those of A transposed. n is a multiple of 128.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<immediate> n: u32;

var<workgroup> tile_a: array<array<f32, 128>, 8>;
var<workgroup> tile_b: array<array<f32, 128>, 8>;

@compute @workgroup_size(256)
fn sgemm128(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
  let row = g.y * 128;
  let column = g.x * 128;
  let y = t / 16 * 8;
  let x = t % 16 * 8;
  var sum: array<array<f32, 8>, 8>;
  for (var k = 0u; k < n; k += 8) {
    for (var e = t; e < 1024; e += 256) {
      tile_a[e % 8][e / 8] = a[(row + e / 8) * n + k + e % 8];
      tile_b[e / 128][e % 128] = b[(k + e / 128) * n + column + e % 128];
    }
    workgroupBarrier();
    for (var m = 0u; m < 8; m++) {
      var u: array<f32, 8>;
      var v: array<f32, 8>;
      for (var i = 0u; i < 8; i++) {
        u[i] = tile_a[m][y + i];
        v[i] = tile_b[m][x + i];
      }
      for (var i = 0u; i < 8; i++) {
        for (var j = 0u; j < 8; j++) {
          sum[i][j] += u[i] * v[j];
        }
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 8; i++) {
    for (var j = 0u; j < 8; j++) {
      c[(row + y + i) * n + column + x + j] = sum[i][j];
    }
  }
}
