extern "C" __global__ void __launch_bounds__(256)
gelu(const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}
