extern "C" __global__ void __launch_bounds__(256)
sgemm128(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
  __shared__ float tile_a[8][132], tile_b[8][128];
  unsigned t = threadIdx.x;
  unsigned row = blockIdx.y * 128, column = blockIdx.x * 128;
  unsigned lane = t % 32;
  unsigned y = t / 32 % 2 * 64 + lane / 2 % 8 * 4, x = t / 64 * 32 + (lane % 2 + lane / 16 * 2) * 4;
  float sum[8][8] = {};
  for (unsigned k = 0; k < n; k += 8) {
    for (unsigned e = t; e < 1024; e += 256) {
      tile_a[e % 8][e / 8] = a[(row + e / 8) * n + k + e % 8];
      tile_b[e / 128][e % 128] = b[(k + e / 128) * n + column + e % 128];
    }
    __syncthreads();
    for (unsigned m = 0; m < 8; m++) {
      float u[8], v[8];
      for (unsigned i = 0; i < 8; i++) {
        u[i] = tile_a[m][y + i / 4 * 32 + i % 4];
        v[i] = tile_b[m][x + i / 4 * 16 + i % 4];
      }
      for (unsigned i = 0; i < 8; i++) {
        for (unsigned j = 0; j < 8; j++) {
          sum[i][j] += u[i] * v[j];
        }
      }
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 8; i++) {
    for (unsigned j = 0; j < 8; j++) {
      c[(row + y + i / 4 * 32 + i % 4) * n + column + x + j / 4 * 16 + j % 4] = sum[i][j];
    }
  }
}
