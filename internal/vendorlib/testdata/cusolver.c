// This library stands in for cuSOLVER. Its functions have the parameters of cusolverDn.h. They
// refuse what is not as the test calls them, and mark the last element of each operand.
#include <stddef.h>
#include <stdint.h>

enum { invalid = 3, N = 6, MANY = 3, LENGTH = 40, HOST = 24, VECTORS = 1, LOWER = 0 };

static char handle, params, svd, eigen;
static void* stream;

int cusolverDnCreate(void** h) { *h = &handle; return 0; }
int cusolverDnCreateParams(void** p) { *p = &params; return 0; }
int cusolverDnCreateGesvdjInfo(void** p) { *p = &svd; return 0; }
int cusolverDnCreateSyevjInfo(void** p) { *p = &eigen; return 0; }
int cusolverDnSetStream(void* h, void* s) { stream = s; return h == &handle && s ? 0 : invalid; }
int cusolverDnDestroy(void* h) { return h == &handle && stream ? 0 : invalid; }
int cusolverDnDestroyParams(void* p) { return p == &params ? 0 : invalid; }
int cusolverDnDestroyGesvdjInfo(void* p) { return p == &svd ? 0 : invalid; }
int cusolverDnDestroySyevjInfo(void* p) { return p == &eigen ? 0 : invalid; }

#define HAS(CONDITION) if (!(CONDITION) || h != &handle) { return invalid; }
#define SQUARE m == N && n == N && lda == N

// Marks are 1 in a matrix, 2 in values, 3 in u, 4 in v, 5 in tau and 6 in info.
#define MARK_ALL(T, COUNT) ((T*)a)[N * N * (COUNT) - 1] = 1; ((T*)s)[N * (COUNT) - 1] = 2; info[(COUNT) - 1] = 6;
#define MARK_VECTORS(T, COUNT) MARK_ALL(T, COUNT) ((T*)u)[N * N * (COUNT) - 1] = 3; ((T*)v)[N * N * (COUNT) - 1] = 4;

#define TYPED(L, T) \
  int cusolverDn##L##gesvd_bufferSize(void* h, int m, int n, int* length) { HAS(m == N && n == N) *length = LENGTH; return 0; } \
  int cusolverDn##L##gesvd(void* h, signed char ju, signed char jv, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* v, int ldv, T* work, int length, T* rwork, int* info) { \
    HAS(ju == 'A' && jv == 'A' && SQUARE && ldu == N && ldv == N && length == LENGTH && !rwork) work[length - 1] = 0; MARK_VECTORS(T, 1) return 0; } \
  int cusolverDn##L##gesvdj_bufferSize(void* h, int job, int econ, int m, int n, const T* a, int lda, const T* s, const T* u, int ldu, const T* v, int ldv, int* length, void* p) { \
    HAS(job == VECTORS && !econ && SQUARE && a && s && u && v && ldu == N && ldv == N && p == &svd) *length = LENGTH; return 0; } \
  int cusolverDn##L##gesvdj(void* h, int job, int econ, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* v, int ldv, T* work, int length, int* info, void* p) { \
    HAS(job == VECTORS && !econ && SQUARE && ldu == N && ldv == N && length == LENGTH && p == &svd) work[length - 1] = 0; MARK_VECTORS(T, 1) return 0; } \
  int cusolverDn##L##gesvdjBatched_bufferSize(void* h, int job, int m, int n, const T* a, int lda, const T* s, const T* u, int ldu, const T* v, int ldv, int* length, void* p, int count) { \
    HAS(job == VECTORS && SQUARE && a && s && u && v && ldu == N && ldv == N && p == &svd && count == MANY) *length = LENGTH; return 0; } \
  int cusolverDn##L##gesvdjBatched(void* h, int job, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* v, int ldv, T* work, int length, int* info, void* p, int count) { \
    HAS(job == VECTORS && SQUARE && ldu == N && ldv == N && length == LENGTH && p == &svd && count == MANY) work[length - 1] = 0; MARK_VECTORS(T, count) return 0; } \
  int cusolverDn##L##syevd_bufferSize(void* h, int job, int uplo, int n, const T* a, int lda, const T* s, int* length) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && a && s) *length = LENGTH; return 0; } \
  int cusolverDn##L##syevd(void* h, int job, int uplo, int n, T* a, int lda, T* s, T* work, int length, int* info) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && length == LENGTH) work[length - 1] = 0; MARK_ALL(T, 1) return 0; } \
  int cusolverDn##L##syevj_bufferSize(void* h, int job, int uplo, int n, const T* a, int lda, const T* s, int* length, void* p) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && a && s && p == &eigen) *length = LENGTH; return 0; } \
  int cusolverDn##L##syevj(void* h, int job, int uplo, int n, T* a, int lda, T* s, T* work, int length, int* info, void* p) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && length == LENGTH && p == &eigen) work[length - 1] = 0; MARK_ALL(T, 1) return 0; } \
  int cusolverDn##L##syevjBatched_bufferSize(void* h, int job, int uplo, int n, const T* a, int lda, const T* s, int* length, void* p, int count) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && a && s && p == &eigen && count == MANY) *length = LENGTH; return 0; } \
  int cusolverDn##L##syevjBatched(void* h, int job, int uplo, int n, T* a, int lda, T* s, T* work, int length, int* info, void* p, int count) { \
    HAS(job == VECTORS && uplo == LOWER && n == N && lda == N && length == LENGTH && p == &eigen && count == MANY) work[length - 1] = 0; MARK_ALL(T, count) return 0; } \
  int cusolverDn##L##geqrf_bufferSize(void* h, int m, int n, T* a, int lda, int* length) { HAS(SQUARE && a) *length = LENGTH; return 0; } \
  int cusolverDn##L##geqrf(void* h, int m, int n, T* a, int lda, T* tau, T* work, int length, int* info) { \
    HAS(SQUARE && length == LENGTH) work[length - 1] = 0; a[N * N - 1] = 1; tau[N - 1] = 5; info[0] = 6; return 0; }

TYPED(S, float)
TYPED(D, double)

// Types are those of library_types.h: 0 is float, and 1 is double.
#define KINDS (ka == 0 || ka == 1) && ks == ka && kc == ka

int cusolverDnXgesvdp_bufferSize(void* h, void* p, int job, int econ, int64_t m, int64_t n, int ka, const void* a, int64_t lda, int ks, const void* s, int ku, const void* u, int64_t ldu,
  int kv, const void* v, int64_t ldv, int kc, size_t* device, size_t* host) {
  HAS(p == &params && job == VECTORS && !econ && SQUARE && KINDS && ku == ka && kv == ka && a && s && u && v && ldu == N && ldv == N)
  *device = LENGTH;
  *host = HOST;
  return 0;
}

int cusolverDnXgesvdp(void* h, void* p, int job, int econ, int64_t m, int64_t n, int ka, void* a, int64_t lda, int ks, void* s, int ku, void* u, int64_t ldu, int kv, void* v, int64_t ldv, int kc,
  char* work, size_t length, char* host, size_t size, int* info, double* difference) {
  HAS(p == &params && job == VECTORS && !econ && SQUARE && KINDS && ku == ka && kv == ka && ldu == N && ldv == N && length == LENGTH && size == HOST)
  work[length - 1] = host[size - 1] = 0;
  *difference = 0.5;
  if (ka == 0) { MARK_VECTORS(float, 1) } else { MARK_VECTORS(double, 1) }
  return 0;
}

int cusolverDnXsyevBatched_bufferSize(void* h, void* p, int job, int uplo, int64_t n, int ka, const void* a, int64_t lda, int ks, const void* s, int kc, size_t* device, size_t* host, int64_t count) {
  HAS(p == &params && job == VECTORS && uplo == LOWER && n == N && lda == N && KINDS && a && s && count == MANY)
  *device = LENGTH;
  *host = HOST;
  return 0;
}

int cusolverDnXsyevBatched(void* h, void* p, int job, int uplo, int64_t n, int ka, void* a, int64_t lda, int ks, void* s, int kc, char* work, size_t length, char* host, size_t size, int* info, int64_t count) {
  HAS(p == &params && job == VECTORS && uplo == LOWER && n == N && lda == N && KINDS && length == LENGTH && size == HOST && count == MANY)
  work[length - 1] = host[size - 1] = 0;
  if (ka == 0) { MARK_ALL(float, count) } else { MARK_ALL(double, count) }
  return 0;
}
