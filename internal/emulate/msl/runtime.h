// This file executes kernels that were compiled with metal_stdlib.h: a fiber for each invocation of a threadgroup,
// which runs until it comes to a barrier or to something that its SIMD-group does together. When all have come to
// such a place or to their end, those that may go on do. A barrier that not all reach, or not at the same line, is an
// error, and so are what the compiler's checks of undefined behaviour find and accesses behind the end of a buffer.
//
// The program reads jobs from a file and writes what they leave to another; bench.go has the format.
#pragma once
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace bench {

typedef unsigned int uint;
enum State { ready, at_barrier, at_meeting, done };

// width is the number of invocations of a SIMD-group, as on Apple's devices.
const uint width = 32;
const uint most = 1024;
const unsigned long stack_bytes = 1 << 20;

struct Arguments {
  void* buffers[31];
  Image** textures;
  const Sampler* samplers;
  void* shared;
  uint group[3], groups[3], local[3], size[3], index;
};

struct Fiber {
  ucontext_t context;
  void* rsp;
  char* stack;
  State state;
  int line;
  uint mask;
  Arguments arguments;
  unsigned char value[64];
};

static Fiber fibers[most];
static unsigned char snapshot[most][64];
static Fiber* current;
static void (*entry)(const Arguments&);
static ucontext_t scheduler;
static void* scheduler_rsp;
static char message[400];
static sigjmp_buf failure;

[[noreturn]] void fail(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  siglongjmp(failure, 1);
}

#if defined(__x86_64__)
// switch_to saves what a call must keep on the stack, changes stacks, and takes it from there: a system call for the
// signal mask, as swapcontext makes one, is most of what a barrier would cost.
extern "C" void bench_switch(void** from, void* to);
asm(".text\n.globl bench_switch\nbench_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");
#endif

static void leave() {
#if defined(__x86_64__)
  bench_switch(&current->rsp, scheduler_rsp);
#else
  swapcontext(&current->context, &scheduler);
#endif
}

static void resume(Fiber* f) {
  current = f;
#if defined(__x86_64__)
  bench_switch(&scheduler_rsp, f->rsp);
#else
  swapcontext(&scheduler, &f->context);
#endif
}

static void body() {
  entry(current->arguments);
  current->state = done;
  leave();
}

static void prepare(Fiber* f) {
  if (!f->stack) {
    f->stack = (char*)mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
#if defined(__x86_64__)
  void** top = (void**)(f->stack + stack_bytes) - 1; // as behind a call: 8 bytes below a multiple of 16
  *--top = (void*)body;
  f->rsp = top - 6;
#else
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = f->stack;
  f->context.uc_stack.ss_size = stack_bytes;
  makecontext(&f->context, body, 0);
#endif
  f->state = ready;
}

// settle lets the lanes of a SIMD-group that wait at the earliest line go on together: code before a place where
// paths join has lower lines than the code behind it.
static bool settle(uint first, uint count) {
  int line = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == at_meeting && (line == 0 || fibers[i].line < line)) { line = fibers[i].line; }
  }
  if (line == 0) { return false; }
  uint mask = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == at_meeting && fibers[i].line == line) { mask |= 1u << (i - first); }
  }
  for (uint i = first; i < count && i < first + width; i++) {
    if (mask >> (i - first) & 1) {
      fibers[i].mask = mask;
      fibers[i].state = ready;
      memcpy(snapshot[i], fibers[i].value, sizeof snapshot[i]);
    }
  }
  return true;
}

static void run_group(uint count) {
  for (;;) {
    uint barriers = 0, ended = 0;
    bool moved = false;
    for (uint first = 0; first < count; first += width) {
      do {
        for (uint i = first; i < count && i < first + width; i++) {
          if (fibers[i].state == ready) { resume(&fibers[i]); moved = true; }
        }
      } while (settle(first, count));
    }
    int line = 0;
    for (uint i = 0; i < count; i++) {
      if (fibers[i].state == done) { ended++; continue; }
      barriers++;
      if (line != 0 && fibers[i].line != line) { fail("a barrier is not uniform: invocations wait at lines %d and %d", line, fibers[i].line); }
      line = fibers[i].line;
    }
    if (barriers == 0) { return; }
    if (ended > 0) { fail("a barrier is not uniform: %u of %u invocations wait at line %d", barriers, count, line); }
    if (!moved) { fail("nothing moves"); }
    for (uint i = 0; i < count; i++) { fibers[i].state = ready; }
  }
}

// Program is a kernel with its entry.
struct Program { void (*run)(const Arguments&); };

// launch runs a grid of threadgroups one after another.
static void launch(const Program& p, const uint* groups, const uint* size, void** buffers, uint count, Image** textures, const Sampler* samplers, void* shared, uint shared_bytes) {
  entry = p.run;
  uint invocations = size[0] * size[1] * size[2];
  for (uint z = 0; z < groups[2]; z++) {
    for (uint y = 0; y < groups[1]; y++) {
      for (uint x = 0; x < groups[0]; x++) {
        memset(shared, 0xa5, shared_bytes); // what workgroup memory holds at first is anything
        for (Image** m = textures; *m; m++) { memset((*m)->unfenced, 0, sizeof (*m)->unfenced); }
        for (uint i = 0; i < invocations; i++) {
          Arguments& a = fibers[i].arguments;
          memcpy(a.buffers, buffers, count * sizeof *buffers);
          a.textures = textures;
          a.samplers = samplers;
          a.shared = shared;
          a.group[0] = x; a.group[1] = y; a.group[2] = z;
          memcpy(a.groups, groups, sizeof a.groups);
          memcpy(a.size, size, sizeof a.size);
          a.local[0] = i % size[0]; a.local[1] = i / size[0] % size[1]; a.local[2] = i / size[0] / size[1];
          a.index = i;
          prepare(&fibers[i]);
        }
        run_group(invocations);
      }
    }
  }
}

// Memory is what a buffer lies in: its end is followed by a page that nothing may touch, but for what is left of 16
// bytes, which must stay as it is.
struct Memory {
  unsigned char* base;
  unsigned long pages, bytes, offset;
  void take(unsigned long n) {
    bytes = n;
    unsigned long rounded = (n + 15) / 16 * 16;
    pages = (rounded + 4095) / 4096 * 4096;
    base = (unsigned char*)mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(base + pages, 4096, PROT_NONE);
    offset = pages - rounded;
    memset(base, 0xcd, pages);
  }
  unsigned char* data() { return base + offset; }
  bool whole() {
    for (unsigned long i = 0; i < offset; i++) { if (base[i] != 0xcd) { return false; } }
    for (unsigned long i = offset + bytes; i < pages; i++) { if (base[i] != 0xcd) { return false; } }
    return true;
  }
  void drop() { munmap(base, pages + 4096); }
};

static void signalled(int number, siginfo_t*, void*) {
  const char* what = number == SIGSEGV || number == SIGBUS ? "an access outside of a buffer" : number == SIGFPE ? "a division that has no result" : "an instruction that ends the program";
  fail("%s", what);
}

static uint word(FILE* in) {
  uint x;
  if (fread(&x, 4, 1, in) != 1) { exit(2); }
  return x;
}

static const char* text(FILE* in) {
  static char name[64];
  uint n = word(in);
  if (n >= sizeof name || fread(name, 1, n, in) != n) { exit(2); }
  name[n] = 0;
  return name;
}

static float number(FILE* in) {
  uint bits = word(in);
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

// image reads what a launch binds as a texture: its numbers, and where its levels lie.
static Image* image(FILE* in, Memory* memory) {
  Image* m = new Image();
  if (!format_named(text(in), &m->format)) { exit(2); }
  for (uint* n : {&m->dimension, &m->width, &m->height, &m->depth, &m->layers, &m->levels, &m->samples}) { *n = word(in); }
  if (m->levels > most_levels) { exit(2); }
  for (uint i = 0; i < m->levels; i++) {
    Memory& level = memory[word(in)];
    m->level[i] = level.data();
    if (level.bytes != (unsigned long)at_level(m->width, i) * at_level(m->height, i) * at_level(m->depth, i) * m->layers * m->samples * m->format.bytes) { exit(2); }
  }
  return m;
}

static bool linear(const char* name) { return strcmp(name, "linear") == 0; }

static Sampler sampler(FILE* in) {
  Sampler s;
  for (Sampler::Address& a : s.address) {
    const char* name = text(in);
    a = name[0] == 'c' ? Sampler::clamp : name[0] == 'r' ? Sampler::repeat : Sampler::mirror;
  }
  s.magnify = linear(text(in)); s.minify = linear(text(in)); s.mipmap = linear(text(in));
  s.lowest = number(in); s.highest = number(in);
  const struct { const char* name; char is; } functions[] = {{"less", '<'}, {"less-equal", '('}, {"equal", '='}, {"not-equal", '!'},
    {"greater", '>'}, {"greater-equal", ')'}, {"always", 'a'}, {"never", 'n'}};
  const char* name = text(in);
  s.compare = 0;
  for (auto& f : functions) { if (strcmp(name, f.name) == 0) { s.compare = f.is; } }
  return s;
}

// run executes the jobs of a file: for each the number of its buffers with their bytes, and its launches.
static int run(const Program* programs, const char* input, const char* output) {
  stack_t other = {};
  other.ss_size = 1 << 16;
  other.ss_sp = malloc(other.ss_size);
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = signalled;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) { sigaction(number, &action, nullptr); }
  FILE* in = fopen(input, "rb");
  FILE* out = fopen(output, "wb");
  if (!in || !out) { return 2; }
  for (uint jobs = word(in); jobs > 0; jobs--) {
    uint count = word(in);
    Memory* memory = new Memory[count + 1];
    for (uint i = 0; i < count; i++) {
      memory[i].take(word(in));
      if (fread(memory[i].data(), 1, memory[i].bytes, in) != memory[i].bytes) { return 2; }
    }
    static volatile bool failed;
    failed = false;
    for (uint launches = word(in); launches > 0; launches--) {
      uint program = word(in), groups[3], size[3];
      for (uint& x : groups) { x = word(in); }
      for (uint& x : size) { x = word(in); }
      uint shared_bytes = word(in), arguments = word(in);
      void* buffers[31];
      for (uint i = 0; i < arguments; i++) { buffers[i] = memory[word(in)].data(); buffers[i] = (char*)buffers[i] + word(in); }
      Image* textures[97] = {};
      Sampler samplers[16];
      uint images = word(in);
      if (images > 96) { return 2; }
      for (uint i = 0; i < images; i++) { textures[i] = image(in, memory); }
      uint kinds = word(in);
      if (kinds > 16) { return 2; }
      for (uint i = 0; i < kinds; i++) { samplers[i] = sampler(in); }
      if (failed) { continue; }
      Memory& shared = memory[count];
      shared.take(shared_bytes);
      if (sigsetjmp(failure, 1) == 0) {
        launch(programs[program], groups, size, buffers, arguments, textures, samplers, shared.data(), shared_bytes);
        if (!shared.whole()) { fail("a store outside of threadgroup memory"); }
        for (uint i = 0; i < count; i++) { if (!memory[i].whole()) { fail("a store outside of a buffer"); } }
      } else {
        failed = true;
      }
      shared.drop();
    }
    uint length = failed ? (uint)strlen(message) : 0;
    fwrite(&length, 4, 1, out);
    fwrite(message, 1, length, out);
    for (uint i = 0; i < count; i++) {
      fwrite(memory[i].data(), 1, memory[i].bytes, out);
      memory[i].drop();
    }
    fflush(out);
    delete[] memory;
  }
  return 0;
}

} // namespace bench

namespace metal {

unsigned int spurious;

uint invocation() { return bench::current->arguments.index; }

void failed(const char* what) { bench::fail("%s", what); }

void meet_all(int line) {
  bench::current->line = line;
  bench::current->state = bench::at_barrier;
  bench::leave();
}

Met meet(int line, const void* value, unsigned int bytes) {
  bench::Fiber* f = bench::current;
  memcpy(f->value, value, bytes);
  f->line = line;
  f->state = bench::at_meeting;
  bench::leave();
  return Met{f->mask, f->arguments.index % bench::width};
}

const void* brought(unsigned int lane) {
  return bench::snapshot[bench::current->arguments.index / bench::width * bench::width + lane];
}

} // namespace metal

// What the compiler's checks call (-fsanitize=…): the data that they pass begins with the place in the source.
namespace bench {
struct Place { const char* file; uint line, column; };
}
#define CHECK(NAME, WHAT) \
  extern "C" void __ubsan_handle_##NAME(bench::Place* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); } \
  extern "C" void __ubsan_handle_##NAME##_abort(bench::Place* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); }
CHECK(add_overflow, "a sum of signed integers overflows")
CHECK(sub_overflow, "a difference of signed integers overflows")
CHECK(mul_overflow, "a product of signed integers overflows")
CHECK(negate_overflow, "a negated integer overflows")
CHECK(divrem_overflow, "a division by zero, or of the lowest integer by -1")
CHECK(shift_out_of_bounds, "a shift by more than the width, or of a negative number")
CHECK(out_of_bounds, "an index outside of its array")
CHECK(float_cast_overflow, "a float that the integer cannot hold")
CHECK(load_invalid_value, "a bool that is neither true nor false")
CHECK(type_mismatch_v1, "a reference to nothing, or one that is not aligned")
extern "C" void __ubsan_handle_builtin_unreachable(bench::Place* p) { bench::fail("undefined behaviour at line %u: code that is never reached", p->line); }
extern "C" void __ubsan_handle_missing_return(bench::Place* p) { bench::fail("undefined behaviour at line %u: a function ends without a result", p->line); }
