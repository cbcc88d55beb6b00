struct Size { int width, height; };

extern "C" __global__ void __launch_bounds__(256)
blur7x7(const float *__restrict__ a, float *__restrict__ b, Size size) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= size.width || y >= size.height) {
    return;
  }
  float sum = 0;
  for (int dy = -3; dy <= 3; dy++) {
    for (int dx = -3; dx <= 3; dx++) {
      int u = min(max(x + dx, 0), size.width - 1);
      int v = min(max(y + dy, 0), size.height - 1);
      sum += a[v * size.width + u];
    }
  }
  b[y * size.width + x] = sum / 49;
}
