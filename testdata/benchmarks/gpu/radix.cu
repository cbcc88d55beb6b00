extern "C" __global__ void __launch_bounds__(256)
radix(const unsigned *__restrict__ a, unsigned *__restrict__ b, unsigned *__restrict__ counts, unsigned shift) {
  __shared__ unsigned keys[256], zeros[256], digits[16];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * 256 + t;
  unsigned key = a[i];
  if (t < 16) {
    digits[t] = 0;
  }
  __syncthreads();
  atomicAdd(&digits[(key >> shift) & 15], 1);
  for (unsigned k = 0; k < 4; k++) {
    unsigned bit = (key >> (shift + k)) & 1;
    unsigned s = 1 - bit;
    zeros[t] = s;
    __syncthreads();
    for (unsigned w = 1; w < 256; w *= 2) {
      if (t >= w) {
        s += zeros[t - w];
      }
      __syncthreads();
      zeros[t] = s;
      __syncthreads();
    }
    unsigned place = bit == 1 ? zeros[255] + t - s : s - 1;
    keys[place] = key;
    __syncthreads();
    key = keys[t];
  }
  b[i] = key;
  if (t < 16) {
    counts[blockIdx.x * 16 + t] = digits[t];
  }
}
