extern "C" __global__ void __launch_bounds__(256)
gemm_batched(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned i = blockIdx.x * 256 + y * 16 + x;
  tile_a[y][x] = a[i];
  tile_b[y][x] = b[i];
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < 16; k++) {
    sum += tile_a[y][k] * tile_b[k][x];
  }
  c[i] = sum;
}
