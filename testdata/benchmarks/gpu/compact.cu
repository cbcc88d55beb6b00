extern "C" __global__ void __launch_bounds__(256)
compact(const unsigned *__restrict__ a, unsigned *__restrict__ b, unsigned *__restrict__ counts, unsigned least) {
  __shared__ unsigned part[256];
  unsigned t = threadIdx.x;
  unsigned v = a[blockIdx.x * 256 + t];
  unsigned s = v >= least ? 1 : 0;
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
  if (v >= least) {
    b[blockIdx.x * 256 + s - 1] = v;
  }
  if (t == 255) {
    counts[blockIdx.x] = s;
  }
}
