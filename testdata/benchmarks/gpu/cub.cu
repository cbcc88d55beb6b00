// What CUB has for kernels of the bench, as functions of a library that the bench loads
// (internal/gpubench/libraries.go). Each takes a stream, the addresses of the kernel's
// bindings, their sizes in words, and its immediates; it enqueues its work and returns an
// error of CUDA's.
#if !__has_include(<cub/cub.cuh>)
#error "CUB is missing: a CUDA toolkit has it, or NVIDIA's wheel nvidia-cuda-cccl, beside nvcc's own headers"
#endif
#include <cub/cub.cuh>

// Algorithms say how much memory they need besides, in a first call. It is kept for the next
// launches, so that these allocate nothing.
static void *room;
static size_t size;

template <typename Algorithm> static int launch(Algorithm algorithm) {
  size_t needed = 0;
  cudaError_t e = algorithm(nullptr, needed);
  if (e == cudaSuccess && needed > size) {
    cudaFree(room);
    size = 0;
    e = cudaMalloc(&room, needed);
    if (e == cudaSuccess) size = needed;
  }
  return e == cudaSuccess ? algorithm(room, needed) : e;
}

struct AtLeast {
  unsigned least;
  __device__ bool operator()(unsigned x) const { return x >= least; }
};

#define FUNCTION(name) \
  extern "C" int name(cudaStream_t s, void *const *b, const unsigned long long *n, const unsigned *immediates)

FUNCTION(sum) {
  return launch([&](void *m, size_t &bytes) {
    return cub::DeviceReduce::Sum(m, bytes, (const float *)b[0], (float *)b[1], (long long)n[0], s);
  });
}

FUNCTION(histogram) { // of bytes
  return launch([&](void *m, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(m, bytes, (const unsigned char *)b[0], (unsigned *)b[1], 257, 0, 256,
                                               (int)(4 * n[0]), s);
  });
}

FUNCTION(scan) {
  return launch([&](void *m, size_t &bytes) {
    return cub::DeviceScan::InclusiveSum(m, bytes, (const unsigned *)b[0], (unsigned *)b[1], (int)n[0], s);
  });
}

FUNCTION(compact) {
  return launch([&](void *m, size_t &bytes) {
    return cub::DeviceSelect::If(m, bytes, (const unsigned *)b[0], (unsigned *)b[1], (unsigned *)b[2], (int)n[0],
                                 AtLeast{immediates[0]}, s);
  });
}

FUNCTION(radix) { // of four bits
  int shift = (int)immediates[0];
  return launch([&](void *m, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeys(m, bytes, (const unsigned *)b[0], (unsigned *)b[1], (int)n[0], shift, shift + 4,
                                          s);
  });
}

extern "C" const char *message(int error) { return cudaGetErrorString((cudaError_t)error); }
