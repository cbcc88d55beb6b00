extern "C" __global__ void __launch_bounds__(256)
histogram(const unsigned *__restrict__ words, unsigned *__restrict__ counts, unsigned n) {
  __shared__ unsigned local[256];
  unsigned t = threadIdx.x;
  local[t] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
    unsigned w = words[i];
    atomicAdd(&local[w & 0xff], 1);
    atomicAdd(&local[(w >> 8) & 0xff], 1);
    atomicAdd(&local[(w >> 16) & 0xff], 1);
    atomicAdd(&local[w >> 24], 1);
  }
  __syncthreads();
  atomicAdd(&counts[t], local[t]);
}
