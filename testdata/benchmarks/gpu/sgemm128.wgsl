// C = A·B of n×n matrices, row-major: a workgroup has a 128×128 tile of C, an
// invocation 8×8 of it, and 8 columns of A and rows of B are in workgroup memory at a
// time, those of A transposed. n is a multiple of 128.
//
// Places are such that workgroup memory serves a subgroup of 32 at once: an invocation's rows are two
// quads, 32 apart, its columns two quads 16 apart, and a subgroup's invocations are eight rows of
// four; tile_a has rows of 132, so that its columns can be stored.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<immediate> n: u32;

var<workgroup> tile_a: array<array<f32, 132>, 8>;
var<workgroup> tile_b: array<array<f32, 128>, 8>;

@compute @workgroup_size(256)
fn sgemm128(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
  let row = g.y * 128;
  let column = g.x * 128;
  let lane = t % 32;
  let y = t / 32 % 2 * 64 + lane / 2 % 8 * 4;
  let x = t / 64 * 32 + (lane % 2 + lane / 16 * 2) * 4;
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
        u[i] = tile_a[m][y + i / 4 * 32 + i % 4];
        v[i] = tile_b[m][x + i / 4 * 16 + i % 4];
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
      c[(row + y + i / 4 * 32 + i % 4) * n + column + x + j / 4 * 16 + j % 4] = sum[i][j];
    }
  }
}
