struct Step { unsigned n; float rate; };

__constant__ const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ const int dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ const float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

extern "C" __global__ void __launch_bounds__(256)
lbm(const float *__restrict__ a, float *__restrict__ b, Step step) {
  unsigned n = step.n;
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= n || y >= n) {
    return;
  }
  float f[9];
  float density = 0, ux = 0, uy = 0;
  for (unsigned q = 0; q < 9; q++) {
    unsigned from_x = (x - (unsigned)dx[q]) & (n - 1);
    unsigned from_y = (y - (unsigned)dy[q]) & (n - 1);
    f[q] = a[(q * n + from_y) * n + from_x];
    density += f[q];
    ux += f[q] * (float)dx[q];
    uy += f[q] * (float)dy[q];
  }
  ux /= density;
  uy /= density;
  float square = 1.5f * (ux * ux + uy * uy);
  for (unsigned q = 0; q < 9; q++) {
    float along = 3 * (ux * (float)dx[q] + uy * (float)dy[q]);
    float equilibrium = weight[q] * density * (1 + along + 0.5f * along * along - square);
    b[(q * n + y) * n + x] = f[q] + step.rate * (equilibrium - f[q]);
  }
}
