extern "C" __global__ void __launch_bounds__(256)
embedding(const float *__restrict__ table, const unsigned *__restrict__ indices, float *__restrict__ rows) {
  unsigned t = threadIdx.x;
  rows[blockIdx.x * 256 + t] = table[indices[blockIdx.x] * 256 + t];
}
