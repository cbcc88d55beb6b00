// The runtime of kernels that are compiled for the host. Each invocation of a workgroup is a fiber, which runs until a
// barrier or subgroup operation. When all fibers wait or have ended, those are resumed whose barrier or operation is
// complete. Errors are barriers that not all invocations reach, or at different lines, undefined behaviour that the
// compiler's checks find, and accesses outside of buffers.
//
// The program reads jobs from a file and writes their buffers to another; fibers.go has the format.
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
enum State { ready, at_barrier, converging, done };

// width is the number of invocations of a subgroup of the current program.
static uint width = 32;
const uint most = 1024;
const unsigned long stack_bytes = 1 << 20;

struct Arguments {
  void* buffers[31];
  void* shared;
  void* bound; // what the bench's bind returned, or nothing
  uint group[3], groups[3], local[3], size[3], index;
};

struct Fiber {
  ucontext_t context;
  void* rsp;
  char* stack;
  State state;
  int line;
  unsigned long mask;
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
// bench_switch saves the callee-saved registers on the stack, switches stacks, and restores them. It is faster than
// swapcontext, which makes a system call for the signal mask.
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
  void** top = (void**)(f->stack + stack_bytes) - 1; // as after a call: 8 bytes below a multiple of 16
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

// release_converged resumes the lanes of a subgroup that wait at the lowest line. Lanes reconverge, since code before a
// merge point has lower lines than the code after it.
static bool release_converged(uint first, uint count) {
  int line = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == converging && (line == 0 || fibers[i].line < line)) { line = fibers[i].line; }
  }
  if (line == 0) { return false; }
  unsigned long mask = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == converging && fibers[i].line == line) { mask |= 1ul << (i - first); }
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
      } while (release_converged(first, count));
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

// Program is the entry of a kernel and the size of its subgroups.
struct Program { void (*run)(const Arguments&); uint width; };

// bind, if set, reads what a launch binds besides buffers, and begin_group resets it, and workgroup memory of the program,
// for the next workgroup.
struct Memory;
static void* (*bind)(FILE* in, Memory* memory);
static void (*begin_group)(void* bound);

// launch runs a grid of workgroups one after another.
static void launch(const Program& p, const uint* groups, const uint* size, void** buffers, uint count, void* bound, void* shared, uint shared_bytes) {
  entry = p.run;
  width = p.width;
  uint invocations = size[0] * size[1] * size[2];
  for (uint z = 0; z < groups[2]; z++) {
    for (uint y = 0; y < groups[1]; y++) {
      for (uint x = 0; x < groups[0]; x++) {
        if (begin_group) { begin_group(bound); }
        memset(shared, 0xa5, shared_bytes); // workgroup memory is not initialised
        for (uint i = 0; i < invocations; i++) {
          Arguments& a = fibers[i].arguments;
          memcpy(a.buffers, buffers, count * sizeof *buffers);
          a.shared = shared;
          a.bound = bound;
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

// Memory is a buffer. It ends, rounded up to 16 bytes, at a guard page. The bytes around it have a pattern that must not
// change.
struct Memory {
  unsigned char* base;
  unsigned long pages, bytes, offset;
  void allocate(unsigned long n) {
    bytes = n;
    unsigned long rounded = (n + 15) / 16 * 16;
    pages = (rounded + 4095) / 4096 * 4096;
    base = (unsigned char*)mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(base + pages, 4096, PROT_NONE);
    offset = pages - rounded;
    memset(base, 0xcd, pages);
  }
  unsigned char* data() { return base + offset; }
  bool intact() {
    for (unsigned long i = 0; i < offset; i++) { if (base[i] != 0xcd) { return false; } }
    for (unsigned long i = offset + bytes; i < pages; i++) { if (base[i] != 0xcd) { return false; } }
    return true;
  }
  void release() { munmap(base, pages + 4096); }
};

static void signalled(int signal, siginfo_t*, void*) {
  const char* what = signal == SIGSEGV || signal == SIGBUS ? "an access outside of a buffer" : signal == SIGFPE ? "a division that has no result" : "an instruction that ends the program";
  fail("%s", what);
}

static uint word(FILE* in) {
  uint x;
  if (fread(&x, 4, 1, in) != 1) { exit(2); }
  return x;
}

// run executes the jobs of a file: each is a count of buffers, the buffers, a count of launches, and the launches.
static int run(const Program* programs, const char* input, const char* output) {
  stack_t other = {};
  other.ss_size = 1 << 16;
  other.ss_sp = malloc(other.ss_size);
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = signalled;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) { sigaction(signal, &action, nullptr); }
  FILE* in = fopen(input, "rb");
  FILE* out = fopen(output, "wb");
  if (!in || !out) { return 2; }
  for (uint jobs = word(in); jobs > 0; jobs--) {
    uint count = word(in);
    Memory* memory = new Memory[count + 1];
    for (uint i = 0; i < count; i++) {
      memory[i].allocate(word(in));
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
      if (arguments > 31) { fprintf(stderr, "a kernel with more than 31 arguments"); return 2; }
      for (uint i = 0; i < arguments; i++) { buffers[i] = memory[word(in)].data(); buffers[i] = (char*)buffers[i] + word(in); }
      void* bound = nullptr;
      if (word(in) > 0) {
        if (!bind) { return 2; }
        bound = bind(in, memory);
      }
      if (failed) { continue; }
      Memory& shared = memory[count];
      shared.allocate(shared_bytes);
      if (sigsetjmp(failure, 1) == 0) {
        launch(programs[program], groups, size, buffers, arguments, bound, shared.data(), shared_bytes);
        if (!shared.intact()) { fail("a store outside of workgroup memory"); }
        for (uint i = 0; i < count; i++) { if (!memory[i].intact()) { fail("a store outside of a buffer"); } }
      } else {
        failed = true;
      }
      shared.release();
    }
    uint length = failed ? (uint)strlen(message) : 0;
    fwrite(&length, 4, 1, out);
    fwrite(message, 1, length, out);
    for (uint i = 0; i < count; i++) {
      fwrite(memory[i].data(), 1, memory[i].bytes, out);
      memory[i].release();
    }
    fflush(out);
    delete[] memory;
  }
  return 0;
}

// workgroup_barrier waits until all invocations of the workgroup have reached a line.
void workgroup_barrier(int line) {
  current->line = line;
  current->state = at_barrier;
  leave();
}

// converge waits at a line with a value for the other lanes, and returns the lanes of the subgroup that reached it.
unsigned long converge(int line, const void* value, uint bytes) {
  Fiber* f = current;
  memcpy(f->value, value, bytes);
  f->line = line;
  f->state = converging;
  leave();
  return f->mask;
}

// lane is the invocation's index in its subgroup, and lane_value the value of a lane in the last converge.
uint lane() { return current->arguments.index % width; }
const void* lane_value(uint lane) { return snapshot[current->arguments.index / width * width + lane]; }

} // namespace bench

