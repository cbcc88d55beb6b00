// The kernels of vector_add.wgsl and sgemm.wgsl in CUDA C, timed by events: the
// fastest of 20 runs, in seconds, one line a kernel.
//
//   nvcc -O3 -arch=native -o bench bench.cu && ./bench 268435456 4096
//   ./bench                 the cost of a launch alone
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
  unsigned i = blockIdx.x * 256u + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (unsigned t = 0; t < n / 16; t++) {
    tile_a[y][x] = a[row * n + t * 16 + x];
    tile_b[y][x] = b[(t * 16 + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// As many parameters as gpuc's vector add has: three addresses, sizes, counts.
__global__ void empty(const float *, const float *, float *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned) {}

static void check(cudaError_t e) {
  if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); }
}

static float *random_floats(size_t n) {
  std::vector<float> host(n);
  unsigned s = 1;
  for (auto &x : host) { s = s * 1664525u + 1013904223u; x = (s >> 8) / 16777216.0f; }
  float *p;
  check(cudaMalloc(&p, n * 4));
  check(cudaMemcpy(p, host.data(), n * 4, cudaMemcpyHostToDevice));
  return p;
}

template <class F> static float fastest(F launch) {
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  float best = 1e30f;
  for (int i = 0; i < 22; i++) {
    check(cudaEventRecord(start));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, start, end));
    if (i >= 2) best = std::min(best, ms);
  }
  check(cudaGetLastError());
  return best / 1e3f;
}

// launch cost on the host: kernels back to back, as a full queue takes them
static void launches() {
  float *a = random_floats(64);
  cudaStream_t s;
  check(cudaStreamCreate(&s));
  const int count = 100000; // as many as the benchmark in Go
  timespec t0, t1;
  for (int i = 0; i < 1000; i++) empty<<<1, 64, 0, s>>>(a, a, a, 1, 2, 3, 4, 5, 6);
  check(cudaStreamSynchronize(s));
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int i = 0; i < count; i++) empty<<<1, 64, 0, s>>>(a, a, a, 1, 2, 3, 4, 5, 6);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  check(cudaStreamSynchronize(s));
  printf("launch %.9f\n", ((t1.tv_sec - t0.tv_sec) + (t1.tv_nsec - t0.tv_nsec) * 1e-9) / count);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    size_t n = atoll(argv[1]), m = atoll(argv[2]);
    float *a = random_floats(n), *b = random_floats(n), *c = random_floats(n);
    printf("vector_add %.9f\n", fastest([&] { vector_add<<<(n + 255) / 256, 256>>>(a, b, c, n); }));
    printf("sgemm %.9f\n", fastest([&] { sgemm<<<dim3(m / 16, m / 16), dim3(16, 16)>>>(a, b, c, m); }));
    return 0;
  }
  launches();
}
