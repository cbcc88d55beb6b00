struct Step { unsigned n, k; };

extern "C" __global__ void __launch_bounds__(256)
floyd_warshall(float *__restrict__ distances, Step step) {
  unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  unsigned n = step.n;
  if (x < n && y < n) {
    unsigned i = y * n + x;
    distances[i] = fminf(distances[i], distances[y * n + step.k] + distances[step.k * n + x]);
  }
}
