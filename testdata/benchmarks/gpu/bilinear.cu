struct Sizes { int width, height, new_width, new_height; };

extern "C" __global__ void __launch_bounds__(256)
bilinear(const float *__restrict__ a, float *__restrict__ b, Sizes s) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= s.new_width || y >= s.new_height) {
    return;
  }
  float u = ((float)x + 0.5f) * (float)s.width / (float)s.new_width - 0.5f;
  float v = ((float)y + 0.5f) * (float)s.height / (float)s.new_height - 0.5f;
  float left = floorf(u), top = floorf(v);
  float fx = u - left, fy = v - top;
  int x0 = min(max((int)left, 0), s.width - 1), x1 = min(max((int)left + 1, 0), s.width - 1);
  int y0 = min(max((int)top, 0), s.height - 1), y1 = min(max((int)top + 1, 0), s.height - 1);
  float upper = a[y0 * s.width + x0] * (1 - fx) + a[y0 * s.width + x1] * fx;
  float lower = a[y1 * s.width + x0] * (1 - fx) + a[y1 * s.width + x1] * fx;
  b[y * s.new_width + x] = upper * (1 - fy) + lower * fy;
}
