extern "C" __global__ void __launch_bounds__(256)
matvec(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  float s = 0;
  for (unsigned i = t; i < n; i += 256) {
    s += a[blockIdx.x * n + i] * x[i];
  }
  part[t] = s;
  __syncthreads();
  for (unsigned w = 128; w > 0; w /= 2) {
    if (t < w) {
      part[t] += part[t + w];
    }
    __syncthreads();
  }
  if (t == 0) {
    y[blockIdx.x] = part[0];
  }
}
