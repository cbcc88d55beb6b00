extern "C" __global__ void __launch_bounds__(256)
sum(const float *__restrict__ a, float *__restrict__ sums, unsigned n) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  float s = 0;
  for (unsigned i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
    s += a[i];
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
    sums[blockIdx.x] = part[0];
  }
}
