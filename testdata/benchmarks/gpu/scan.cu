extern "C" __global__ void __launch_bounds__(256)
scan(const unsigned *__restrict__ a, unsigned *__restrict__ b, unsigned *__restrict__ sums) {
  __shared__ unsigned part[256];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * 256 + t;
  unsigned s = a[i];
  part[t] = s;
  __syncthreads();
  for (unsigned w = 1; w < 256; w *= 2) {
    if (t >= w) {
      s += part[t - w];
    }
    __syncthreads();
    part[t] = s;
    __syncthreads();
  }
  b[i] = s;
  if (t == 255) {
    sums[blockIdx.x] = s;
  }
}
