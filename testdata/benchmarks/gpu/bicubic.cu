struct Sizes { int width, height, new_width, new_height; };

__device__ void weights(float t, float w[4]) {
  w[0] = ((-0.5f * t + 1) * t - 0.5f) * t;
  w[1] = (1.5f * t - 2.5f) * t * t + 1;
  w[2] = ((-1.5f * t + 2) * t + 0.5f) * t;
  w[3] = (0.5f * t - 0.5f) * t * t;
}

extern "C" __global__ void __launch_bounds__(256)
bicubic(const float *__restrict__ a, float *__restrict__ b, Sizes s) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= s.new_width || y >= s.new_height) {
    return;
  }
  float u = ((float)x + 0.5f) * (float)s.width / (float)s.new_width - 0.5f;
  float v = ((float)y + 0.5f) * (float)s.height / (float)s.new_height - 0.5f;
  float wx[4], wy[4];
  weights(u - floorf(u), wx);
  weights(v - floorf(v), wy);
  float sum = 0;
  for (int j = 0; j < 4; j++) {
    int row = min(max((int)floorf(v) + j - 1, 0), s.height - 1) * s.width;
    float line = 0;
    for (int i = 0; i < 4; i++) {
      line += wx[i] * a[row + min(max((int)floorf(u) + i - 1, 0), s.width - 1)];
    }
    sum += wy[j] * line;
  }
  b[y * s.new_width + x] = sum;
}
