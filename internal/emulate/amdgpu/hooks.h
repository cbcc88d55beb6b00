// This file is what the kernels' text calls: AMD's intrinsics under names that a compiler for the host takes for functions
// (User Guide for AMDGPU Backend, "LLVM IR Intrinsics"). What a wave does together gets the line where the text says it.
#pragma once

extern "C" {

unsigned int amdgcn_workitem_id_x() { return bench::current->arguments.local[0]; }
unsigned int amdgcn_workitem_id_y() { return bench::current->arguments.local[1]; }
unsigned int amdgcn_workitem_id_z() { return bench::current->arguments.local[2]; }
unsigned int amdgcn_workgroup_id_x() { return bench::current->arguments.group[0]; }
unsigned int amdgcn_workgroup_id_y() { return bench::current->arguments.group[1]; }
unsigned int amdgcn_workgroup_id_z() { return bench::current->arguments.group[2]; }

// The number of workgroups comes first among the implicit arguments; nothing else of them is there.
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

// The product is exact, and the sum has more than twice the bits that it is rounded to.
_Float16 fma_f16(_Float16 x, _Float16 y, _Float16 z) { return (_Float16)((double)x * (double)y + (double)z); }

void amdgcn_s_barrier(int line) { bench::meet_all(line); }
void amdgcn_wave_barrier(int line) { bench::meet(line, &line, sizeof line); }

unsigned long amdgcn_ballot_i64(int line, bool x) {
  unsigned char mine = x;
  unsigned long mask = bench::meet(line, &mine, 1), result = 0;
  for (unsigned int n = 0; n < bench::width; n++) {
    if (mask >> n & 1 && *(const unsigned char*)bench::brought(n)) { result |= 1ul << n; }
  }
  return result;
}

unsigned int amdgcn_ballot_i32(int line, bool x) {
  if (bench::width != 32) { bench::fail("a ballot of 32 lanes in a wave of %u", bench::width); }
  return (unsigned int)amdgcn_ballot_i64(line, x);
}

struct Pair { unsigned int value, lane; };

// The lane of a readlane is a scalar register's: one for all that execute it.
unsigned int amdgcn_readlane_i32(int line, unsigned int x, unsigned int lane) {
  Pair mine = {x, lane};
  unsigned long mask = bench::meet(line, &mine, sizeof mine);
  for (unsigned int n = 0; n < bench::width; n++) {
    if (mask >> n & 1 && ((const Pair*)bench::brought(n))->lane != lane) { bench::fail("a readlane at line %d of several lanes", line); }
  }
  if (lane >= bench::width || !(mask >> lane & 1)) { bench::fail("a readlane at line %d of lane %u, which is not active", line, lane); }
  return ((const Pair*)bench::brought(lane))->value;
}

unsigned int amdgcn_readfirstlane_i32(int line, unsigned int x) {
  unsigned long mask = bench::meet(line, &x, sizeof x);
  return *(const unsigned int*)bench::brought(__builtin_ctzl(mask));
}

// A lane that is not active is read as 0 (RDNA 3 ISA, DS_BPERMUTE_B32).
unsigned int amdgcn_ds_bpermute(int line, unsigned int place, unsigned int x) {
  unsigned long mask = bench::meet(line, &x, sizeof x);
  unsigned int lane = place / 4 % bench::width;
  return mask >> lane & 1 ? *(const unsigned int*)bench::brought(lane) : 0;
}

// Workgroup memory of all programs is a section of the process.
extern unsigned char __start_lds[] __attribute__((weak));
extern unsigned char __stop_lds[] __attribute__((weak));
}

static void fill_lds(void*) { if (__start_lds) { memset(__start_lds, 0xa5, __stop_lds - __start_lds); } }
