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

// The workgroup memory of all programs is a section of the executable.
extern unsigned char __start_lds[] __attribute__((weak));
extern unsigned char __stop_lds[] __attribute__((weak));
}

static void fill_lds(void*) { if (__start_lds) { memset(__start_lds, 0xa5, __stop_lds - __start_lds); } }
