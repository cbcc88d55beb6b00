extern "C" __global__ void __launch_bounds__(128)
fft256(const float2 *__restrict__ a, float2 *__restrict__ b) {
  __shared__ float2 part[256];
  unsigned t = threadIdx.x;
  unsigned first = blockIdx.x * 256;
  part[t] = a[first + t];
  part[t + 128] = a[first + t + 128];
  __syncthreads();
  for (unsigned half = 1; half < 256; half *= 2) {
    unsigned k = t % half;
    float angle = -3.14159265f * (float)k / (float)half;
    float c = cosf(angle), s = sinf(angle);
    float2 u = part[t];
    float2 v = part[t + 128];
    float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    __syncthreads();
    unsigned to = t / half * half * 2 + k;
    part[to] = make_float2(u.x + w.x, u.y + w.y);
    part[to + half] = make_float2(u.x - w.x, u.y - w.y);
    __syncthreads();
  }
  b[first + t] = part[t];
  b[first + t + 128] = part[t + 128];
}
