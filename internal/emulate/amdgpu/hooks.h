// AMD's intrinsics as functions for the host (User Guide for AMDGPU Backend, "LLVM IR Intrinsics"). Barriers and cross-lane
// operations have the line of the call as their first argument.
#pragma once

extern "C" {

unsigned int amdgcn_workitem_id_x() { return bench::current->arguments.local[0]; }
unsigned int amdgcn_workitem_id_y() { return bench::current->arguments.local[1]; }
unsigned int amdgcn_workitem_id_z() { return bench::current->arguments.local[2]; }
unsigned int amdgcn_workgroup_id_x() { return bench::current->arguments.group[0]; }
unsigned int amdgcn_workgroup_id_y() { return bench::current->arguments.group[1]; }
unsigned int amdgcn_workgroup_id_z() { return bench::current->arguments.group[2]; }

// The first implicit argument is the number of workgroups; the others are missing.
void* amdgcn_implicitarg_ptr() { return bench::current->arguments.groups; }

unsigned int amdgcn_mbcnt_lo(unsigned int mask, unsigned int sum) {
  unsigned int lane = bench::lane();
  unsigned int below = lane >= 32 ? 0xffffffffu : (1u << lane) - 1;
  return sum + __builtin_popcount(mask & below);
}

unsigned int amdgcn_mbcnt_hi(unsigned int mask, unsigned int sum) {
  unsigned int lane = bench::lane();
  unsigned int below = lane <= 32 ? 0 : (1u << (lane - 32)) - 1;
  return sum + __builtin_popcount(mask & below);
}

float amdgcn_rsq_f32(float x) { return (float)(1 / __builtin_sqrt((double)x)); }

// The product is exact in double precision, and the sum has more than twice the bits of the result.
_Float16 fma_f16(_Float16 x, _Float16 y, _Float16 z) { return (_Float16)((double)x * (double)y + (double)z); }

void amdgcn_s_barrier(int line) { bench::workgroup_barrier(line); }
void amdgcn_wave_barrier(int line) { bench::converge(line, &line, sizeof line); }

unsigned long amdgcn_ballot_i64(int line, bool x) {
  unsigned char mine = x;
  unsigned long mask = bench::converge(line, &mine, 1), result = 0;
  for (unsigned int n = 0; n < bench::width; n++) {
    if (mask >> n & 1 && *(const unsigned char*)bench::lane_value(n)) { result |= 1ul << n; }
  }
  return result;
}

unsigned int amdgcn_ballot_i32(int line, bool x) {
  if (bench::width != 32) { bench::fail("a ballot of 32 lanes in a wave of %u", bench::width); }
  return (unsigned int)amdgcn_ballot_i64(line, x);
}

struct Pair { unsigned int value, lane; };

// The lane of a readlane must be uniform.
unsigned int amdgcn_readlane_i32(int line, unsigned int x, unsigned int lane) {
  Pair mine = {x, lane};
  unsigned long mask = bench::converge(line, &mine, sizeof mine);
  for (unsigned int n = 0; n < bench::width; n++) {
    if (mask >> n & 1 && ((const Pair*)bench::lane_value(n))->lane != lane) { bench::fail("a readlane at line %d of several lanes", line); }
  }
  if (lane >= bench::width || !(mask >> lane & 1)) { bench::fail("a readlane at line %d of lane %u, which is not active", line, lane); }
  return ((const Pair*)bench::lane_value(lane))->value;
}

unsigned int amdgcn_readfirstlane_i32(int line, unsigned int x) {
  unsigned long mask = bench::converge(line, &x, sizeof x);
  return *(const unsigned int*)bench::lane_value(__builtin_ctzl(mask));
}

// Reading an inactive lane gives 0 (RDNA 3 ISA, DS_BPERMUTE_B32).
unsigned int amdgcn_ds_bpermute(int line, unsigned int address, unsigned int x) {
  unsigned long mask = bench::converge(line, &x, sizeof x);
  unsigned int lane = address / 4 % bench::width;
  return mask >> lane & 1 ? *(const unsigned int*)bench::lane_value(lane) : 0;
}

// What amdgcn_product multiplies, and how the lanes of a wave have the operands: a quarter of the depth each, all of it in
// both halves of the wave, or a half of it.
enum { half_element, brain_element, byte_element, single_element, double_element, quarters, repeated, halves };

static double element(const unsigned char* from, int type, bool sign) {
  switch (type) {
  case half_element: return (double)*(const _Float16*)from;
  case brain_element: { unsigned int bits = *(const unsigned short*)from << 16; float x; memcpy(&x, &bits, sizeof x); return x; }
  case byte_element: return sign ? (double)(signed char)*from : (double)*from;
  case single_element: return *(const float*)from;
  default: return *(const double*)from;
  }
}

// amdgcn_product adds the product of matrices a and b to the sums of the lane. Products of 16 bits and less are added in
// double precision, and others rounded one by one.
void amdgcn_product(int line, int depth, int type, int form, int sign_a, int sign_b, const void* a, const void* b, void* sums) {
  static const int sizes[] = {2, 2, 1, 4, 8};
  int size = sizes[type], parts = form == quarters ? 4 : form == halves ? 2 : 1, each = depth / parts;
  unsigned char mine[64];
  memcpy(mine, a, each * size);
  memcpy(mine + 32, b, each * size);
  unsigned int wave = form == quarters ? 64 : 32, lane = bench::lane();
  if (bench::width != wave) { bench::fail("a product of %u lanes in a wave of %u", wave, bench::width); }
  unsigned long mask = bench::converge(line, mine, sizeof mine);
  if (mask != (wave == 64 ? ~0ul : 0xfffffffful)) { bench::fail("a product at line %d with some lanes alone", line); }
  for (unsigned int n = 0; form == repeated && n < 16; n++) {
    const unsigned char* low = (const unsigned char*)bench::lane_value(n);
    const unsigned char* high = (const unsigned char*)bench::lane_value(n + 16);
    if (memcmp(low, high, each * size) || memcmp(low + 32, high + 32, each * size)) {
      bench::fail("the operands of a product at line %d differ between lanes %u and %u", line, n, n + 16);
    }
  }
  int count = form == quarters ? 4 : 8;
  for (int n = 0; n < count; n++) {
    int group = lane / 16, column = lane % 16, row = form == repeated ? 2 * n + group : count * group + n;
    if (type == double_element) { row = 4 * n + group; }
    double total = 0;
    float single = type == byte_element || type == double_element ? 0 : ((float*)sums)[n];
    double wide = type == double_element ? ((double*)sums)[n] : single;
    for (int k = 0; k < depth; k++) {
      const unsigned char* left = (const unsigned char*)bench::lane_value(row + 16 * (k / each)) + k % each * size;
      const unsigned char* right = (const unsigned char*)bench::lane_value(column + 16 * (k / each)) + 32 + k % each * size;
      double x = element(left, type, sign_a), y = element(right, type, sign_b);
      total += x * y;
      if (type == single_element) { single = __builtin_fmaf((float)x, (float)y, single); }
      if (type == double_element) { wide = __builtin_fma(x, y, wide); }
    }
    switch (type) {
    case byte_element: ((unsigned int*)sums)[n] += (unsigned int)(long)total; break;
    case single_element: ((float*)sums)[n] = single; break;
    case double_element: ((double*)sums)[n] = wide; break;
    default: ((float*)sums)[n] = (float)(wide + total);
    }
  }
}

// The workgroup memory of all programs is a section of the executable.
extern unsigned char __start_lds[] __attribute__((weak));
extern unsigned char __stop_lds[] __attribute__((weak));
}

static void fill_lds(void*) { if (__start_lds) { memset(__start_lds, 0xa5, __stop_lds - __start_lds); } }
