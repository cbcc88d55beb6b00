struct Step { unsigned n; float rate; };

extern "C" __global__ void __launch_bounds__(256)
heat(const float *__restrict__ a, float *__restrict__ b, Step step) {
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  unsigned n = step.n;
  unsigned i = (z * n + y) * n + x;
  if (x == 0 || y == 0 || z == 0 || x >= n - 1 || y >= n - 1 || z >= n - 1) {
    if (x < n && y < n && z < n) {
      b[i] = a[i];
    }
    return;
  }
  float around = a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
  b[i] = a[i] + step.rate * (around - 6 * a[i]);
}
