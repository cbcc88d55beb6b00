extern "C" __global__ void __launch_bounds__(256)
separable(const float *__restrict__ a, const float *__restrict__ weights, float *__restrict__ b, int width) {
  __shared__ float tile[272];
  unsigned t = threadIdx.x;
  int row = (int)blockIdx.y * width;
  int first = (int)blockIdx.x * 256 - 8;
  for (unsigned i = t; i < 272; i += 256) {
    tile[i] = a[row + min(max(first + (int)i, 0), width - 1)];
  }
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < 17; k++) {
    sum += weights[k] * tile[t + k];
  }
  b[row + first + 8 + (int)t] = sum;
}
