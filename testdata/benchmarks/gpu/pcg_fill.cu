__device__ unsigned pcg(unsigned v) {
  unsigned state = v * 747796405u + 2891336453u;
  unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

extern "C" __global__ void __launch_bounds__(256)
pcg_fill(unsigned *__restrict__ a, unsigned n, unsigned seed) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    a[i] = pcg(i ^ pcg(seed));
  }
}
