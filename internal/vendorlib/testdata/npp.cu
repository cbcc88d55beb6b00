// NPP's functions for square images of n rows and columns, as vendorlib.Wrapped calls them: with a
// stream and the addresses of buffers.
#include <nppi_filtering_functions.h>
#include <nppi_geometry_transforms.h>

static NppStreamContext contextOf(cudaStream_t stream) {
  static NppStreamContext c = {};
  if (c.nMultiProcessorCount == 0) {
    cudaDeviceProp p;
    cudaGetDevice(&c.nCudaDeviceId);
    cudaGetDeviceProperties(&p, c.nCudaDeviceId);
    c.nMultiProcessorCount = p.multiProcessorCount;
    c.nMaxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
    c.nMaxThreadsPerBlock = p.maxThreadsPerBlock;
    c.nSharedMemPerBlock = p.sharedMemPerBlock;
    c.nCudaDevAttrComputeCapabilityMajor = p.major;
    c.nCudaDevAttrComputeCapabilityMinor = p.minor;
  }
  c.hStream = stream;
  return c;
}

#define RESIZE(NAME, T, NPP, CHANNELS, SIDE, HOW) \
  extern "C" int NAME(cudaStream_t stream, void** at, size_t n) { \
    int from = (int)n, to = SIDE; \
    return NPP((const T*)at[0], from * CHANNELS * (int)sizeof(T), NppiSize{from, from}, NppiRect{0, 0, from, from}, \
      (T*)at[1], to * CHANNELS * (int)sizeof(T), NppiSize{to, to}, NppiRect{0, 0, to, to}, HOW, contextOf(stream)); \
  }

RESIZE(half_u8, Npp8u, nppiResize_8u_C1R_Ctx, 1, from / 2, NPPI_INTER_LINEAR)
RESIZE(half_u8_rgb, Npp8u, nppiResize_8u_C3R_Ctx, 3, from / 2, NPPI_INTER_LINEAR)
RESIZE(half_f32, Npp32f, nppiResize_32f_C1R_Ctx, 1, from / 2, NPPI_INTER_LINEAR)
RESIZE(double_u8, Npp8u, nppiResize_8u_C1R_Ctx, 1, from * 2, NPPI_INTER_LINEAR)
RESIZE(double_u8_rgb, Npp8u, nppiResize_8u_C3R_Ctx, 3, from * 2, NPPI_INTER_LINEAR)
RESIZE(double_f32, Npp32f, nppiResize_32f_C1R_Ctx, 1, from * 2, NPPI_INTER_LINEAR)
RESIZE(cubic_f32, Npp32f, nppiResize_32f_C1R_Ctx, 1, from * 2, NPPI_INTER_CUBIC)
RESIZE(cubic_u8_rgb, Npp8u, nppiResize_8u_C3R_Ctx, 3, from * 2, NPPI_INTER_CUBIC)

#define FILTER(NAME, T, U, NPP, CHANNELS, ...) \
  extern "C" int NAME(cudaStream_t stream, void** at, size_t n) { \
    int side = (int)n; \
    return NPP((const T*)at[0], side * CHANNELS * (int)sizeof(T), NppiSize{side, side}, NppiPoint{0, 0}, \
      (U*)at[1], side * CHANNELS * (int)sizeof(U), NppiSize{side, side}, __VA_ARGS__, NPP_BORDER_REPLICATE, contextOf(stream)); \
  }

#define BOX NppiSize{5, 5}, NppiPoint{2, 2}

FILTER(gauss5_u8, Npp8u, Npp8u, nppiFilterGaussBorder_8u_C1R_Ctx, 1, NPP_MASK_SIZE_5_X_5)
FILTER(gauss5_u8_rgb, Npp8u, Npp8u, nppiFilterGaussBorder_8u_C3R_Ctx, 3, NPP_MASK_SIZE_5_X_5)
FILTER(gauss5_f32, Npp32f, Npp32f, nppiFilterGaussBorder_32f_C1R_Ctx, 1, NPP_MASK_SIZE_5_X_5)
FILTER(gauss13_u8, Npp8u, Npp8u, nppiFilterGaussBorder_8u_C1R_Ctx, 1, NPP_MASK_SIZE_13_X_13)
FILTER(gauss13_f32, Npp32f, Npp32f, nppiFilterGaussBorder_32f_C1R_Ctx, 1, NPP_MASK_SIZE_13_X_13)
FILTER(box5_u8, Npp8u, Npp8u, nppiFilterBoxBorder_8u_C1R_Ctx, 1, BOX)
FILTER(box5_f32, Npp32f, Npp32f, nppiFilterBoxBorder_32f_C1R_Ctx, 1, BOX)
FILTER(sobel_x_u8, Npp8u, Npp16s, nppiFilterSobelHorizBorder_8u16s_C1R_Ctx, 1, NPP_MASK_SIZE_3_X_3)
FILTER(sobel_y_u8, Npp8u, Npp16s, nppiFilterSobelVertBorder_8u16s_C1R_Ctx, 1, NPP_MASK_SIZE_3_X_3)
FILTER(sobel_x_f32, Npp32f, Npp32f, nppiFilterSobelHorizMaskBorder_32f_C1R_Ctx, 1, NPP_MASK_SIZE_3_X_3)
FILTER(sobel_y_f32, Npp32f, Npp32f, nppiFilterSobelVertMaskBorder_32f_C1R_Ctx, 1, NPP_MASK_SIZE_3_X_3)
