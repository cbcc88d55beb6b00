extern "C" __global__ void __launch_bounds__(256)
vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    c[i] = a[i] + b[i];
  }
}
