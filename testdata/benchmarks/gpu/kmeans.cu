extern "C" __global__ void __launch_bounds__(256)
kmeans(const float4 *__restrict__ points, const float4 *__restrict__ centres, unsigned *__restrict__ nearest, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float4 p = points[i];
    unsigned best = 0;
    float least = 1e30f;
    for (unsigned k = 0; k < 64; k++) {
      float4 c = centres[k];
      float dx = p.x - c.x, dy = p.y - c.y, dz = p.z - c.z, dw = p.w - c.w;
      float square = dx * dx + dy * dy + dz * dz + dw * dw;
      if (square < least) {
        least = square;
        best = k;
      }
    }
    nearest[i] = best;
  }
}
