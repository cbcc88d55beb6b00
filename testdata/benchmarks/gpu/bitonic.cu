struct Step { unsigned j, k; };

extern "C" __global__ void __launch_bounds__(256)
bitonic(unsigned *__restrict__ a, unsigned n, Step step) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  unsigned other = i ^ step.j;
  if (other > i && other < n) {
    unsigned x = a[i];
    unsigned y = a[other];
    if ((x > y) == ((i & step.k) == 0)) {
      a[i] = y;
      a[other] = x;
    }
  }
}
