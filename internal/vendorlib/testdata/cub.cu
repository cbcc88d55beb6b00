// CUB's functions for whole arrays, as vendorlib.CUB calls them: with a stream, the addresses of
// buffers, and a number of elements. Temporary memory is allocated once for each function, by the
// first call, which has the largest size.
#include <cub/cub.cuh>
#include <cstdint>

#define FUNCTION(NAME, CALL) \
  extern "C" int NAME(cudaStream_t stream, void** at, size_t n) { \
    static void* temporary = nullptr; \
    static size_t room = 0; \
    size_t bytes = 0; \
    { void* temp = nullptr; cudaError_t code = CALL; if (code != cudaSuccess) { return (int)code; } } \
    if (bytes > room) { \
      cudaFree(temporary); \
      cudaError_t code = cudaMalloc(&temporary, bytes); \
      if (code != cudaSuccess) { return (int)code; } \
      room = bytes; \
    } \
    void* temp = temporary; \
    return (int)(CALL); \
  }

FUNCTION(sum_f32, cub::DeviceReduce::Sum(temp, bytes, (const float*)at[0], (float*)at[1], (int64_t)n, stream))
FUNCTION(max_f32, cub::DeviceReduce::Max(temp, bytes, (const float*)at[0], (float*)at[1], (int64_t)n, stream))
FUNCTION(scan_u32, cub::DeviceScan::InclusiveSum(temp, bytes, (const uint32_t*)at[0], (uint32_t*)at[1], (int)n, stream))
FUNCTION(scan_f32, cub::DeviceScan::InclusiveSum(temp, bytes, (const float*)at[0], (float*)at[1], (int)n, stream))
FUNCTION(sort_u32, cub::DeviceRadixSort::SortKeys(temp, bytes, (const uint32_t*)at[0], (uint32_t*)at[1], (int)n, 0, 32, stream))
FUNCTION(sort_u64, cub::DeviceRadixSort::SortKeys(temp, bytes, (const uint64_t*)at[0], (uint64_t*)at[1], (int)n, 0, 64, stream))
FUNCTION(sort_pairs_u32, cub::DeviceRadixSort::SortPairs(temp, bytes, (const uint32_t*)at[0], (uint32_t*)at[1], (const uint32_t*)at[2], (uint32_t*)at[3], (int)n, 0, 32, stream))
FUNCTION(select_u32, cub::DeviceSelect::Flagged(temp, bytes, (const uint32_t*)at[0], (const uint8_t*)at[1], (uint32_t*)at[2], (uint32_t*)at[3], (int)n, stream))
FUNCTION(histogram_u8, cub::DeviceHistogram::HistogramEven(temp, bytes, (const uint8_t*)at[0], (uint32_t*)at[1], 257, 0, 256, (int)n, stream))
FUNCTION(histogram_f32, cub::DeviceHistogram::HistogramEven(temp, bytes, (const float*)at[0], (uint32_t*)at[1], 257, 0.0f, 1.0f, (int)n, stream))
