const float rate = 0.02f;
const float volatility = 0.3f;

__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * expf(-0.5f * d * d) *
    (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void __launch_bounds__(256)
black_scholes(const float *__restrict__ spot, const float *__restrict__ strike, const float *__restrict__ years,
              float *__restrict__ calls, float *__restrict__ puts, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float s = spot[i];
    float x = strike[i];
    float t = years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal(d1);
    float n2 = normal(d2);
    float discounted = x * expf(-rate * t);
    calls[i] = s * n1 - discounted * n2;
    puts[i] = discounted * (1 - n2) - s * (1 - n1);
  }
}
