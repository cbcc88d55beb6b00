// What cuBLAS has for kernels of the bench, as functions like those of cub.cu. The library
// is opened when it is first needed: wheels have it without the name that a linker looks for.
// Products are of f32 throughout: TF32 is off, which would have ten bits of each factor.
#if !__has_include(<cublas_v2.h>)
#error "cuBLAS is missing: a CUDA toolkit has it, or NVIDIA's wheel nvidia-cublas, beside nvcc's own headers"
#endif
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdlib.h>

static cublasHandle_t handle;
static const char *failure = "";

// The functions that are used, by the names that the library has them under.
#define FUNCTIONS(each)                                                                                                \
  each(cublasCreate_v2) each(cublasSetStream_v2) each(cublasSetMathMode) each(cublasSetPointerMode_v2)                 \
  each(cublasSgemm_v2) each(cublasSgemmStridedBatched) each(cublasSgemv_v2) each(cublasSdot_v2) each(cublasSgeam)
#define DECLARE(name) static decltype(&name) p_##name;
FUNCTIONS(DECLARE)

static bool open() {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  void *library = nullptr;
  for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (!library) library = dlopen(name, RTLD_NOW);
  if (!library) {
    failure = "libcublas.so is not found: LD_LIBRARY_PATH names its folder";
    return false;
  }
#define FIND(name)                                                                                                     \
  if (!(p_##name = (decltype(&name))dlsym(library, #name))) {                                                          \
    failure = "libcublas.so has no " #name;                                                                            \
    return false;                                                                                                      \
  }
  FUNCTIONS(FIND)
  if (p_cublasCreate_v2(&handle) != CUBLAS_STATUS_SUCCESS || p_cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH) != CUBLAS_STATUS_SUCCESS) {
    failure = "cuBLAS cannot be initialised";
    return false;
  }
  return true;
}

static bool begin(cudaStream_t s) {
  static bool opened = open();
  return opened && p_cublasSetStream_v2(handle, s) == CUBLAS_STATUS_SUCCESS;
}

#define FUNCTION(name) \
  extern "C" int name(cudaStream_t s, void *const *b, const unsigned long long *n, const unsigned *immediates)
#define BEGIN if (!begin(s)) return -1;

static const float one = 1, zero = 0;

// Matrices are row-major here and column-major there, so the transposed product is asked for: Cᵀ = Bᵀ·Aᵀ.
static int product(cudaStream_t s, void *const *b, int k) {
  BEGIN
  return p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, k, k, k, &one, (const float *)b[1], k, (const float *)b[0], k,
                          &zero, (float *)b[2], k);
}

FUNCTION(sgemm16) { return product(s, b, (int)immediates[0]); }
FUNCTION(sgemm128) { return product(s, b, (int)immediates[0]); }

FUNCTION(gemm_batched) { // of 16×16
  BEGIN
  return p_cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &one, (const float *)b[1], 16, 256,
                                     (const float *)b[0], 16, 256, &zero, (float *)b[2], 16, 256, (int)(n[0] / 256));
}

FUNCTION(matvec) {
  BEGIN
  int k = (int)immediates[0];
  return p_cublasSgemv_v2(handle, CUBLAS_OP_T, k, k, &one, (const float *)b[0], k, (const float *)b[1], 1, &zero,
                          (float *)b[2], 1);
}

FUNCTION(dot) {
  BEGIN
  if (p_cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE) != CUBLAS_STATUS_SUCCESS) return -1;
  int status = p_cublasSdot_v2(handle, (int)n[0], (const float *)b[0], 1, (const float *)b[1], 1, (float *)b[2]);
  p_cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
  return status;
}

FUNCTION(transpose) {
  BEGIN
  int k = (int)immediates[0];
  return p_cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, k, k, &one, (const float *)b[0], k, &zero, (const float *)b[1], k,
                       (float *)b[1], k);
}

extern "C" const char *message(int error) {
  if (*failure) return failure;
  return error == CUBLAS_STATUS_EXECUTION_FAILED ? "cuBLAS: the work failed" : "cuBLAS: the work was refused";
}
