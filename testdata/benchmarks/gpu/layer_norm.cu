extern "C" __global__ void __launch_bounds__(256)
layer_norm(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta, float *__restrict__ y, unsigned n) {
  __shared__ float sums[256], squares[256];
  unsigned t = threadIdx.x;
  unsigned row = blockIdx.x * n;
  float sum = 0, square = 0;
  for (unsigned i = t; i < n; i += 256) {
    float v = x[row + i];
    sum += v;
    square += v * v;
  }
  sums[t] = sum;
  squares[t] = square;
  __syncthreads();
  for (unsigned w = 128; w > 0; w /= 2) {
    if (t < w) {
      sums[t] += sums[t + w];
      squares[t] += squares[t + w];
    }
    __syncthreads();
  }
  float mean = sums[0] / (float)n;
  float scale = rsqrtf(squares[0] / (float)n - mean * mean + 1e-5f);
  for (unsigned i = t; i < n; i += 256) {
    y[row + i] = (x[row + i] - mean) * scale * gamma[i] + beta[i];
  }
}
