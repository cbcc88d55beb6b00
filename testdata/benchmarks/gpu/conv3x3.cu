struct Size { int width, height; };

extern "C" __global__ void __launch_bounds__(256)
conv3x3(const float *__restrict__ a, const float *__restrict__ weights, float *__restrict__ b, Size size) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= size.width || y >= size.height) {
    return;
  }
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < size.width && v >= 0 && v < size.height) {
        sum += weights[(dy + 1) * 3 + dx + 1] * a[v * size.width + u];
      }
    }
  }
  b[y * size.width + x] = sum;
}
