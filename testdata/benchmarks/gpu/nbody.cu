extern "C" __global__ void __launch_bounds__(256)
nbody(const float4 *__restrict__ bodies, float4 *__restrict__ accelerations, unsigned n) {
  __shared__ float4 tile[256];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * 256 + t;
  float4 own = bodies[i];
  float x = 0, y = 0, z = 0;
  for (unsigned first = 0; first < n; first += 256) {
    tile[t] = bodies[first + t];
    __syncthreads();
    for (unsigned k = 0; k < 256; k++) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      float s = other.w * r * r * r;
      x += dx * s;
      y += dy * s;
      z += dz * s;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(x, y, z, 0);
}
