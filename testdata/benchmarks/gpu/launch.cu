// What a launch costs the host, in seconds: kernels back to back, as a full queue takes
// them. The argument is how many.
#include <cstdio>
#include <cstdlib>
#include <ctime>

// As many parameters as gpuc's vector add has: three addresses and three lengths.
__global__ void empty(const float *, const float *, float *, unsigned, unsigned, unsigned) {}

static void check(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(1);
  }
}

int main(int, char **arguments) {
  int count = atoi(arguments[1]);
  float *a;
  cudaStream_t s;
  check(cudaMalloc(&a, 256));
  check(cudaStreamCreate(&s));
  timespec t0, t1;
  for (int i = 0; i < 1000; i++) empty<<<1, 256, 0, s>>>(a, a, a, 64, 64, 64);
  check(cudaStreamSynchronize(s));
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int i = 0; i < count; i++) empty<<<1, 256, 0, s>>>(a, a, a, 64, 64, 64);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  check(cudaStreamSynchronize(s));
  printf("%.12f\n", ((t1.tv_sec - t0.tv_sec) + (t1.tv_nsec - t0.tv_nsec) * 1e-9) / count);
}
