// This file executes kernels that were compiled for the host: a fiber for each invocation of a workgroup,
// which runs until it comes to a barrier or to something that its subgroup does together. When all have come to
// such a place or to their end, those that may go on do. A barrier that not all reach, or not at the same line, is an
// error, and so are what the compiler's checks of undefined behaviour find and accesses behind the end of a buffer.
//
// The program reads jobs from a file and writes what they leave to another; fibers.go has the format.
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

// width is the number of invocations of a subgroup, as the program has it.
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

// settle lets the lanes of a subgroup that wait at the earliest line go on together: code before a place where
// paths join has lower lines than the code behind it.
static bool settle(uint first, uint count) {
  int line = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == at_meeting && (line == 0 || fibers[i].line < line)) { line = fibers[i].line; }
  }
  if (line == 0) { return false; }
  unsigned long mask = 0;
  for (uint i = first; i < count && i < first + width; i++) {
    if (fibers[i].state == at_meeting && fibers[i].line == line) { mask |= 1ul << (i - first); }
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

// Program is a kernel with its entry, and the size of its subgroups.
struct Program { void (*run)(const Arguments&); uint width; };

// bind, if there is one, reads what a launch binds besides buffers, and fresh prepares that, and what a program has in places
// of its own, for the next workgroup.
struct Memory;
static void* (*bind)(FILE* in, Memory* memory);
static void (*fresh)(void* bound);

// launch runs a grid of workgroups one after another.
static void launch(const Program& p, const uint* groups, const uint* size, void** buffers, uint count, void* bound, void* shared, uint shared_bytes) {
  entry = p.run;
  width = p.width;
  uint invocations = size[0] * size[1] * size[2];
  for (uint z = 0; z < groups[2]; z++) {
    for (uint y = 0; y < groups[1]; y++) {
      for (uint x = 0; x < groups[0]; x++) {
        if (fresh) { fresh(bound); }
        memset(shared, 0xa5, shared_bytes); // what workgroup memory holds at first is anything
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
      if (arguments > 31) { fprintf(stderr, "a kernel with more than 31 arguments"); return 2; }
      for (uint i = 0; i < arguments; i++) { buffers[i] = memory[word(in)].data(); buffers[i] = (char*)buffers[i] + word(in); }
      void* bound = nullptr;
      if (word(in) > 0) {
        if (!bind) { return 2; }
        bound = bind(in, memory);
      }
      if (failed) { continue; }
      Memory& shared = memory[count];
      shared.take(shared_bytes);
      if (sigsetjmp(failure, 1) == 0) {
        launch(programs[program], groups, size, buffers, arguments, bound, shared.data(), shared_bytes);
        if (!shared.whole()) { fail("a store outside of workgroup memory"); }
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

// meet_all waits until all invocations of the workgroup have come to a place.
void meet_all(int line) {
  current->line = line;
  current->state = at_barrier;
  leave();
}

// meet brings a value to a place, and returns the lanes of the subgroup that have come there.
unsigned long meet(int line, const void* value, uint bytes) {
  Fiber* f = current;
  memcpy(f->value, value, bytes);
  f->line = line;
  f->state = at_meeting;
  leave();
  return f->mask;
}

// lane is the invocation's number in its subgroup, and brought what a lane brought to the meeting.
uint lane() { return current->arguments.index % width; }
const void* brought(uint lane) { return snapshot[current->arguments.index / width * width + lane]; }

} // namespace bench

