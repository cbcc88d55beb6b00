extern "C" __global__ void __launch_bounds__(256)
sgemm16(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (unsigned t = 0; t < n / 16; t++) {
    tile_a[y][x] = a[row * n + t * 16 + x];
    tile_b[y][x] = b[(t * 16 + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
      sum += tile_a[y][k] * tile_b[k][x];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
