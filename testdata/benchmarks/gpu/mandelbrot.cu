extern "C" __global__ void __launch_bounds__(256)
mandelbrot(unsigned *__restrict__ turns, unsigned width) {
  unsigned column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float cx = -2 + 3 * (float)column / (float)width;
  float cy = -1.5f + 3 * (float)row / (float)width;
  float x = 0, y = 0;
  unsigned k = 0;
  while (k < 256 && x * x + y * y < 4) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    k++;
  }
  turns[row * width + column] = k;
}
