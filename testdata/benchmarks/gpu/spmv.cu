extern "C" __global__ void __launch_bounds__(256)
spmv(const unsigned *__restrict__ starts, const unsigned *__restrict__ columns, const float *__restrict__ values,
     const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned row = blockIdx.x * 256 + threadIdx.x;
  if (row < n) {
    float sum = 0;
    for (unsigned i = starts[row]; i < starts[row + 1]; i++) {
      sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
  }
}
