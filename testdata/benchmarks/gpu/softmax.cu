extern "C" __global__ void __launch_bounds__(256)
softmax(const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  unsigned row = blockIdx.x * n;
  float most = -1e30f;
  for (unsigned i = t; i < n; i += 256) {
    most = fmaxf(most, x[row + i]);
  }
  part[t] = most;
  __syncthreads();
  for (unsigned w = 128; w > 0; w /= 2) {
    if (t < w) {
      part[t] = fmaxf(part[t], part[t + w]);
    }
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (unsigned i = t; i < n; i += 256) {
    sum += expf(x[row + i] - most);
  }
  part[t] = sum;
  __syncthreads();
  for (unsigned w = 128; w > 0; w /= 2) {
    if (t < w) {
      part[t] += part[t + w];
    }
    __syncthreads();
  }
  float scale = 1 / part[0];
  for (unsigned i = t; i < n; i += 256) {
    y[row + i] = expf(x[row + i] - most) * scale;
  }
}
