extern "C" __global__ void __launch_bounds__(256)
transpose_tiled(const float *__restrict__ a, float *__restrict__ b, unsigned n) {
  __shared__ float tile[32][33];
  unsigned x = threadIdx.x;
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    tile[y][x] = a[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
  }
  __syncthreads();
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    b[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
  }
}
