// This library stands in for HIP, so that the driver's calls can be executed and judged where there is no device of AMD's. It
// has the functions that the driver uses, as the HIP API reference describes them.
//
// It judges: handles that are gone or of another kind, calls on a thread whose device is another one or none, memory that is
// used after it was freed or beyond its end, graphs that are given back before they have run, pinned memory that is given back while copies use it, streams that are destroyed
// with work left, modules that are unloaded before their kernels have run, images that change, launches beyond HIP's limits.
// What a kernel takes is read from the notes of the code object (User Guide for AMDGPU Backend, "Code Object V5 Metadata"),
// and arguments are taken from where the launch says they are. Work is late: a stream's commands are executed when something
// waits for them, or asks for the third time, or needs what they leave; and early: what other streams have that is no launch and
// need not wait comes before a stream's launches. Kernels are executed by whoever sets a runner.
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notes.h"

enum { success = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_device = 101, invalid_context = 201, no_binary = 209, invalid_handle = 400, not_found = 500, not_ready = 600 };

// What tests set, by name.
static struct { const char* name; long value; } settings[] = {
  {"first", 0},     // the device that is listed first
  {"count", 3},     // of devices
  {"init", 0},      // what hipInit answers
  {"version", 60240000},
  {"pools", 1},
  {"wave", 0},      // the size of waves, if not the device's
  {"integrated", 0}, // devices have the host's memory
  {"nameless", 0},  // the properties have no processor
  {"refuse", 0},    // how many allocations are refused
  {"refuse copy", 0},
  {"refuse copy after", 0}, // which one, and no other
  {"refuse mapping", 0},
  {"lose", 0},      // the result with which the next launch that runs fails, and all behind it
  {"refuse launch", 0},
  {"no graph kernels", 0}, // as in ROCm 5.2 with kernels of modules
  {"dry", 0},       // kernels are not executed
  {"peers", 1},     // devices can access each other's memory
  {"as cuda", 0},   // a stream's work finishes when it is destroyed, and a launch is refused on a thread with another device
};
static long* setting(const char* name) {
  for (unsigned n = 0; n < sizeof settings / sizeof *settings; n++) { if (strcmp(settings[n].name, name) == 0) { return &settings[n].value; } }
  abort();
}
#define SET(NAME) (*setting(NAME))

static const struct { const char *name, *processor, *family; int wave; } devices[] = {
  {"Fake CDNA", "gfx90a:sramecc+:xnack-", "", 64},
  {"Fake RDNA (gfx)", "gfx1030", "gfx10-3-generic", 32},
  {"Fake family", "gfx1101", "gfx11-generic", 32},
};

// Handles are never given back to the system, so that those that are gone are seen.
enum { stream_kind = 1, event_kind, module_kind, function_kind, pool_kind, graph_kind, node_kind, execution_kind };
static const char* kinds[] = {"", "stream", "event", "module", "function", "memory pool", "graph", "node", "executable graph"};
typedef struct Handle { int kind, live, device; struct Handle* next; } Handle;

typedef struct Record { int done; double time; struct Stream* stream; } Record;
typedef struct { Handle h; unsigned flags; Record* record; } Event;
typedef struct { Handle h; const unsigned char* image; size_t bytes; uint64_t sum; int pending; Kernels in; } Module;
typedef struct { Handle h; Module* module; Kernel* kernel; } Function;

typedef struct Memory { unsigned char* base; size_t bytes; int device, freeing, freed, pooled, reused; struct Memory* next; } Memory;
typedef struct Pinned { const unsigned char* base; size_t bytes; int registered, live, pending; struct Pinned* next; } Pinned;

// Run is a launch as the runner is told of it: of an argument that is an address, the memory that it lies in.
typedef struct {
  const unsigned char* image; uint64_t image_bytes;
  const char* name;
  uint32_t grid[3], block[3];
  const unsigned char* segment;
  uint32_t count, reserved;
  struct { uint32_t offset, size; uint64_t base, bytes; } arguments[64];
} Run;

enum { launch_command, fill_command, copy_command, record_command, wait_command, free_command, foreign_command };
typedef struct Command {
  int kind;
  Run run;
  Module* module;
  unsigned char *to, *from;
  size_t bytes;
  uint32_t value;
  Pinned* pinned;
  Record* record;
  Memory* memory;
  int (*foreign)(void*); // another library's, which returns 0 while it waits
  void* data;
  struct Execution* execution; // of a graph, whose command this is
  struct Command* next;
} Command;
typedef struct Stream { Handle h; Command *head, **tail; int asked, running; } Stream;

// A node of a graph has a command, or none. Nodes were made in the order of their numbers.
enum { most_nodes = 512 };
typedef struct Node { Handle h; struct Graph* graph; int number, empty, count; Command command; struct Node** after; } Node;
typedef struct Graph { Handle h; int count; Node* nodes[most_nodes]; } Graph;
typedef struct Execution { Handle h; Graph* graph; int count, pending; Command commands[most_nodes]; } Execution;

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread int current = -1;
static Handle* handles;
static Memory* memories;
static Pinned* pinnings;
static char complaints[4000];
static double clock_now; // in milliseconds; each command takes some
static int lost;         // the result of all calls since a launch failed
static int (*runner)(Run*, int, char*, int);

static void complain(const char* format, ...) {
  char line[600];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line - 2, format, list);
  va_end(list);
  strcat(line, "\n");
  if (strlen(complaints) + strlen(line) < sizeof complaints) { strcat(complaints, line); }
}

// Every entry holds the mutex until it returns.
static void leave(int* unused) { (void)unused; pthread_mutex_unlock(&mutex); }
#define ENTER int entered __attribute__((cleanup(leave), unused)) = pthread_mutex_lock(&mutex)
#define WORKING ENTER; if (lost) { return lost; } if (current < 0) { complain("%s on a thread without a device", __func__); return invalid_device; }

static void* make(int kind, size_t bytes) {
  Handle* h = calloc(1, bytes);
  *h = (Handle){kind, 1, current, handles};
  return handles = h;
}

static void* check_handle(void* given, int kind, const char* function) {
  for (Handle* h = handles; h; h = h->next) {
    if (h != given) { continue; }
    if (h->kind != kind || !h->live) { complain("%s of a %s that is %s", function, kinds[h->kind], h->live ? "of another kind" : "gone"); return NULL; }
    if (h->device != current) { complain("%s of a %s of device %d on a thread whose device is %d", function, kinds[kind], h->device, current); }
    return h;
  }
  complain("%s of no %s", function, kinds[kind]);
  return NULL;
}
#define HANDLE(TYPE, NAME, GIVEN, KIND) TYPE* NAME = check_handle(GIVEN, KIND, __func__); if (!NAME) { return invalid_handle; }

// find returns the memory that bytes lie in, or says what is wrong.
static Memory* find(const void* at, size_t bytes, int running, const char* what) {
  const unsigned char* p = at;
  Memory* gone = NULL;
  for (Memory* m = memories; m; m = m->next) {
    if (p < m->base || p > m->base + m->bytes || (p == m->base + m->bytes && bytes)) { continue; }
    if (m->freed || (m->freeing && !running)) { gone = m; continue; }
    if (bytes > (size_t)(m->base + m->bytes - p)) { complain("%s of %zu bytes at %zu of %zu", what, bytes, (size_t)(p - m->base), m->bytes); return NULL; }
    return m;
  }
  complain(gone ? "%s of memory that was freed" : "%s of no memory of the device", what);
  return NULL;
}

static Pinned* pinned_at(const void* at, size_t bytes) {
  for (Pinned* p = pinnings; p; p = p->next) { if (p->live && (const unsigned char*)at >= p->base && (const unsigned char*)at + bytes <= p->base + p->bytes) { return p; } }
  return NULL;
}

static uint64_t sum_of(const unsigned char* p, size_t n) {
  uint64_t sum = 14695981039346656037u;
  while (n--) { sum = (sum ^ *p++) * 1099511628211u; }
  return sum;
}

static void enqueue(Stream* s, Command c) {
  Command* own = malloc(sizeof c);
  *own = c;
  own->next = NULL;
  *s->tail = own;
  s->tail = &own->next;
  if (own->pinned) { own->pinned->pending++; }
  if (own->module) { own->module->pending++; }
  if (own->execution) { own->execution->pending++; }
}

static void execute(Stream* s, Record* until);
static int perform(Stream* s);

// advance_others performs what other streams than one may do before a launch of that one.
static void advance_others(Stream* but) {
  for (Handle* h = handles; h; h = h->next) {
    Stream* s = (Stream*)h;
    if (h->kind != stream_kind || !h->live || s == but) { continue; }
    while (s->head && !s->running && s->head->kind != launch_command && s->head->kind != foreign_command && !(s->head->kind == wait_command && !s->head->record->done)) { perform(s); }
  }
}

// run_launches executes launches that follow each other, and returns how many.
static int run_launches(Command* first) {
  static Run runs[4096];
  int n = 0;
  for (Command* c = first; c && c->kind == launch_command && n < 4096; c = c->next) {
    if (c->module->sum != sum_of(c->module->image, c->module->bytes)) { complain("the image of a module has changed"); }
    runs[n] = c->run;
    for (unsigned i = 0; i < c->run.count; i++) {
      if (!c->run.arguments[i].bytes) { continue; }
      uint64_t address;
      memcpy(&address, c->run.segment + c->run.arguments[i].offset, 8);
      Memory* m = find((void*)address, 1, 1, "a kernel's use");
      if (!m) { lost = 700; return n; }
      runs[n].arguments[i].base = (uint64_t)m->base;
      runs[n].arguments[i].bytes = m->bytes;
    }
    n++;
  }
  if (SET("lose")) { lost = SET("lose"); SET("lose") = 0; return n; }
  char message[1000] = "";
  if (runner && !SET("dry") && runner(runs, n, message, sizeof message)) { complain("%s", message); lost = 719; }
  return n;
}

// perform executes the next command of a stream, with the launches that follow if it is one. It
// returns 0 if that waits for something that has not been enqueued yet.
static int perform(Stream* s) {
  Command* c = s->head;
  int n = 1;
  switch (c->kind) {
  case launch_command: advance_others(s); n = run_launches(c); break;
  case fill_command:
    if (find(c->to, c->bytes, 1, "a fill")) { for (size_t i = 0; i < c->bytes; i += 4) { memcpy(c->to + i, &c->value, 4); } }
    break;
  case copy_command:
    if (c->pinned && !c->pinned->live) { complain("a copy of pinned memory that was given back"); break; }
    memcpy(c->to, c->from, c->bytes);
    break;
  case record_command: c->record->done = 1; c->record->time = clock_now; break;
  case wait_command:
    execute(c->record->stream, c->record);
    if (!c->record->done && !lost) { return 0; }
    break;
  case foreign_command:
    if (!c->foreign(c->data)) { return 0; }
    break;
  case free_command:
    memset(c->memory->base, 0xee, c->memory->bytes);
    c->memory->freed = 1;
    break;
  }
  while (n-- > 0) {
    Command* done = s->head;
    clock_now += 0.125;
    if (done->pinned) { done->pinned->pending--; }
    if (done->module) { done->module->pending--; }
    if (done->execution) { done->execution->pending--; }
    free((void*)(done->kind == launch_command ? done->run.segment : NULL));
    if (!(s->head = done->next)) { s->tail = &s->head; }
    free(done);
  }
  return 1;
}

// execute runs a stream's commands, until a record is done, to the end, or to one that waits.
// Commands that run may have other streams executed, but not theirs.
static void execute(Stream* s, Record* until) {
  if (s->running) { return; }
  s->running = 1;
  while (s->head && !(until && until->done) && !lost && perform(s)) { }
  s->running = 0;
}

// take_pause lets other threads enqueue what commands wait for.
static void take_pause(void) {
  pthread_mutex_unlock(&mutex);
  usleep(100);
  pthread_mutex_lock(&mutex);
}

static void execute_all(int device) {
  for (int left = 1; left && !lost;) {
    left = 0;
    for (Handle* h = handles; h; h = h->next) {
      if (h->kind != stream_kind || !h->live || h->device != device) { continue; }
      execute((Stream*)h, NULL);
      left |= ((Stream*)h)->head != NULL;
    }
    if (left) { take_pause(); }
  }
}

// The library, its devices.
int hipInit(unsigned flags) { return flags ? invalid_value : (int)SET("init"); }
int hipRuntimeGetVersion(int* version) { *version = (int)SET("version"); return success; }
int hipGetDeviceCount(int* count) { *count = (int)SET("count"); return *count ? success : no_device; }
int hipDeviceGet(int* device, int ordinal) { *device = ordinal; return ordinal < SET("count") ? success : invalid_device; }
static int place(int device) { return (int)(device + SET("first")) % 3; }
int hipDeviceGetName(char* name, int room, int device) { snprintf(name, room, "%s", devices[place(device)].name); return success; }
int hipDeviceTotalMem(size_t* bytes, int device) { *bytes = 4ul << 30; return success; }
int hipMemGetInfo(size_t* free, size_t* bytes) { ENTER; *free = 3ul << 30; *bytes = 4ul << 30; return lost; }
int hipDeviceGetAttribute(int* value, int which, int device) {
  static const struct { int which, value; } attributes[] = {{56, 1024}, {26, 1024}, {27, 1024}, {28, 1024}, {29, 2147483647}, {30, 65536}, {31, 65536}, {74, 65536},
    {63, 104}, {5, 1700000}, {60, 1600000}, {59, 4096}, {19, 8388608}};
  if (which == 87) { *value = SET("wave") ? (int)SET("wave") : devices[place(device)].wave; return success; }
  if (which == 16) { *value = (int)SET("integrated"); return success; }
  if (which == 88) { *value = (int)SET("pools"); return success; }
  for (unsigned n = 0; n < sizeof attributes / sizeof *attributes; n++) { if (attributes[n].which == which) { *value = attributes[n].value; return success; } }
  complain("attribute %d is asked for", which);
  return invalid_value;
}
// hipGetDevicePropertiesR0600 fills the places that the driver may look at: the name, and the processor's far behind it.
int hipGetDevicePropertiesR0600(char* properties, int device) {
  memset(properties, 0x5a, 1472);
  snprintf(properties, 256, "%s", devices[place(device)].name);
  snprintf(properties + 1160, 256, "%s", SET("nameless") ? "" : devices[place(device)].processor);
  return success;
}
int hipSetDevice(int device) { ENTER; if (device < 0 || device >= SET("count")) { return invalid_device; } current = device; return lost; }
int hipDeviceSynchronize(void) { WORKING; execute_all(current); return lost; }
const char* hipGetErrorName(int code) { return code == 719 ? "hipErrorLaunchFailure" : code == out_of_memory ? "hipErrorOutOfMemory" : code == 12345 ? NULL : "hipErrorOther"; }
const char* hipGetErrorString(int code) { return code == 719 ? "unspecified launch failure" : "as asked"; }

// Modules.
int hipModuleLoadData(Module** to, const unsigned char* image) {
  WORKING;
  const Elf64_Ehdr* head = (const Elf64_Ehdr*)image;
  if (memcmp(image, ELFMAG, SELFMAG) || head->e_machine != 224) { return 200; }
  Module m = {.image = image, .bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize};
  char target[100] = "";
  read_notes(image, &m.in, target);
  const char *wanted = devices[place(current)].processor, *family = devices[place(current)].family, *found = strstr(target, "--");
  size_t length = strcspn(wanted, ":");
  if (!found || !((strlen(found + 2) == length && strncmp(found + 2, wanted, length) == 0) || strcmp(found + 2, family) == 0)) { return no_binary; }
  m.sum = sum_of(image, m.bytes);
  Module* own = make(module_kind, sizeof m);
  m.h = own->h;
  *own = m;
  *to = own;
  return success;
}
int hipModuleUnload(Module* given) {
  WORKING;
  HANDLE(Module, m, given, module_kind);
  if (m->pending) { complain("a module is unloaded before %d launches of its kernels", m->pending); }
  m->h.live = 0;
  return success;
}
int hipModuleGetFunction(Function** to, Module* given, const char* name) {
  WORKING;
  HANDLE(Module, m, given, module_kind);
  for (int n = 0; n < m->in.count; n++) {
    if (strcmp(m->in.list[n].name, name)) { continue; }
    if (m->in.list[n].wave != devices[place(current)].wave) { complain("code for waves of %u", m->in.list[n].wave); }
    Function* f = make(function_kind, sizeof *f);
    f->module = m;
    f->kernel = &m->in.list[n];
    *to = f;
    return success;
  }
  return not_found;
}
int hipFuncGetAttribute(int* value, int which, Function* given) {
  WORKING;
  HANDLE(Function, f, given, function_kind);
  *value = (int)f->kernel->most;
  return which == 0 ? success : invalid_value;
}

// Streams and events.
int hipStreamCreateWithFlags(Stream** to, unsigned flags) {
  WORKING;
  if (flags != 1) { complain("a stream with flags %u", flags); }
  Stream* s = make(stream_kind, sizeof *s);
  s->tail = &s->head;
  *to = s;
  return success;
}
int hipStreamDestroy(Stream* given) {
  WORKING;
  HANDLE(Stream, s, given, stream_kind);
  if (SET("as cuda")) { execute(s, NULL); }
  if (s->head) { complain("a stream is destroyed with work left"); }
  s->h.live = 0;
  return success;
}
int hipStreamQuery(Stream* given) {
  WORKING;
  HANDLE(Stream, s, given, stream_kind);
  if (!s->head) { s->asked = 0; return success; }
  if (++s->asked < 3) { return not_ready; }
  s->asked = 0;
  execute(s, NULL);
  return lost ? lost : s->head ? not_ready : success;
}
// A stream may wait for an event of another device (hipStreamWaitEvent).
int hipStreamWaitEvent(Stream* given, Event* event, unsigned flags) {
  WORKING;
  HANDLE(Stream, s, given, stream_kind);
  int own = current;
  current = event ? event->h.device : own;
  Event* e = check_handle(event, event_kind, __func__);
  current = own;
  if (!e) { return invalid_handle; }
  if (e->record && flags == 0) { enqueue(s, (Command){.kind = wait_command, .record = e->record}); }
  return flags ? invalid_value : success;
}
int hipEventCreateWithFlags(Event** to, unsigned flags) {
  WORKING;
  Event* e = make(event_kind, sizeof *e);
  e->flags = flags;
  *to = e;
  return success;
}
int hipEventDestroy(Event* given) {
  WORKING;
  HANDLE(Event, e, given, event_kind);
  e->h.live = 0;
  return success;
}
int hipEventRecord(Event* given, Stream* stream) {
  WORKING;
  HANDLE(Event, e, given, event_kind);
  HANDLE(Stream, s, stream, stream_kind);
  e->record = calloc(1, sizeof *e->record);
  e->record->stream = s;
  enqueue(s, (Command){.kind = record_command, .record = e->record});
  return success;
}
int hipEventQuery(Event* given) {
  WORKING;
  HANDLE(Event, e, given, event_kind);
  if (!e->record || e->record->done) { return success; }
  if (++e->record->stream->asked < 3) { return not_ready; }
  e->record->stream->asked = 0;
  execute(e->record->stream, e->record);
  return lost ? lost : e->record->done ? success : not_ready;
}
int hipEventSynchronize(Event* given) {
  WORKING;
  HANDLE(Event, e, given, event_kind);
  Record* r = e->record;
  while (r && !r->done && !lost) {
    execute(r->stream, r);
    if (!r->done) { take_pause(); }
  }
  return lost;
}
int hipEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  WORKING;
  HANDLE(Event, a, from, event_kind);
  HANDLE(Event, b, to, event_kind);
  if (!a->record || !b->record || a->flags & 2 || b->flags & 2) { return invalid_handle; }
  if (!a->record->done || !b->record->done) { return not_ready; }
  *milliseconds = (float)(b->record->time - a->record->time);
  return success;
}

// Memory.
static int allocate(void** to, size_t bytes, int pooled) {
  if (SET("refuse")) { SET("refuse")--; return out_of_memory; }
  Memory* m = calloc(1, sizeof *m);
  for (Memory* old = memories; pooled && old; old = old->next) {
    if (old->pooled && old->freed && !old->reused && old->bytes == bytes && old->device == current) { m->base = old->base; old->reused = 1; break; }
  }
  if (!m->base) { m->base = aligned_alloc(256, (bytes + 255) / 256 * 256); memset(m->base, 0xab, bytes); } // what new memory holds is not defined
  m->bytes = bytes;
  m->device = current;
  m->pooled = pooled;
  m->next = memories;
  memories = m;
  *to = m->base;
  return success;
}
int hipMalloc(void** to, size_t bytes) { WORKING; if (SET("pools")) { complain("memory beside the pool"); } return allocate(to, bytes, 0); }
int hipFree(void* at) {
  WORKING;
  Memory* m = find(at, 0, 0, "freeing");
  if (!m || m->base != at || m->pooled) { complain("hipFree of another address or of the pool's memory"); return invalid_value; }
  execute_all(current);
  memset(m->base, 0xee, m->bytes);
  m->freeing = m->freed = 1;
  return success;
}
int hipMallocAsync(void** to, size_t bytes, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  return s ? allocate(to, bytes, 1) : success;
}
int hipFreeAsync(void* at, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  Memory* m = find(at, 0, 0, "freeing");
  if (!m || m->base != at || !m->pooled) { complain("hipFreeAsync of another address or of memory beside the pool"); return invalid_value; }
  m->freeing = 1;
  enqueue(s, (Command){.kind = free_command, .memory = m});
  return success;
}
static Handle* pools[3];                        // by device
// By the device that has the memory, and the one that it is opened to.
static int peer_access[3][3], pool_access[3][3];
int hipDeviceGetDefaultMemPool(Handle** to, int device) {
  ENTER;
  if (!pools[device]) { pools[device] = make(pool_kind, sizeof *pools[device]); }
  pools[device]->device = device;
  *to = pools[device];
  return success;
}
int hipDeviceCanAccessPeer(int* can, int device, int peer) {
  ENTER;
  if (device == peer) { complain("access of a device to itself is asked for"); }
  *can = (int)SET("peers");
  return success;
}
int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  WORKING;
  if (flags || peer == current || !SET("peers")) { complain("access to device %d is enabled", peer); return invalid_value; }
  if (peer_access[peer][current]) { return 704; }
  peer_access[peer][current] = 1;
  return success;
}
int hipMemPoolSetAccess(Handle* given, const int* description, size_t count) {
  WORKING;
  HANDLE(Handle, pool, given, pool_kind);
  if (!pool || count != 1 || description[0] != 1 || description[2] != 3) { complain("access to a pool of kind %d with flags %d", description[0], description[2]); return invalid_value; }
  if (!peer_access[current][description[1]]) { complain("access to a pool without access to its device"); }
  pool_access[current][description[1]] = 1;
  return success;
}
int hipMemPoolSetAttribute(Handle* given, int which, const uint64_t* value) {
  WORKING;
  HANDLE(Handle, pool, given, pool_kind);
  if (which != 4 || *value != UINT64_MAX) { complain("attribute %d of the pool", which); }
  return pool ? success : invalid_value;
}
int hipMemPoolTrimTo(Handle* given, size_t bytes) {
  WORKING;
  HANDLE(Handle, pool, given, pool_kind);
  return pool && bytes == 0 ? success : invalid_value;
}
int hipMemsetD32Async(unsigned char* to, int value, size_t count, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  if (!find(to, 4 * count, 0, "a fill")) { return invalid_value; }
  enqueue(s, (Command){.kind = fill_command, .to = to, .bytes = 4 * count, .value = (uint32_t)value});
  return success;
}
// A copy from or to memory of the host that is not pinned is done when the call returns (hipMemcpyAsync).
static int copy(unsigned char* to, unsigned char* from, size_t bytes, void* host, Stream* s) {
  if (SET("refuse copy")) { return (int)SET("refuse copy"); }
  if (SET("refuse copy after") && --SET("refuse copy after") == 0) { return 1; }
  Pinned* p = host ? pinned_at(host, bytes) : NULL;
  enqueue(s, (Command){.kind = copy_command, .to = to, .from = from, .bytes = bytes, .pinned = p});
  if (host && !p) { execute(s, NULL); }
  return lost;
}
int hipMemcpyHtoDAsync(void* to, void* from, size_t bytes, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  return find(to, bytes, 0, "a copy") ? copy(to, from, bytes, from, s) : invalid_value;
}
int hipMemcpyDtoHAsync(void* to, void* from, size_t bytes, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  return find(from, bytes, 0, "a copy") ? copy(to, from, bytes, to, s) : invalid_value;
}
int hipMemcpyDtoDAsync(void* to, void* from, size_t bytes, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  return find(from, bytes, 0, "a copy") && find(to, bytes, 0, "a copy") ? copy(to, from, bytes, NULL, s) : invalid_value;
}
int hipMemcpyPeerAsync(void* to, int to_device, void* from, int from_device, size_t bytes, Stream* stream) {
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  Memory *a = find(from, bytes, 0, "a copy"), *b = find(to, bytes, 0, "a copy");
  if (!a || !b) { return invalid_value; }
  if (a->device != from_device || b->device != to_device) { complain("a copy from device %d to %d of memory of %d and %d", from_device, to_device, a->device, b->device); }
  return copy(to, from, bytes, NULL, s);
}
static int pin(const void* base, size_t bytes, int registered) {
  Pinned* p = calloc(1, sizeof *p);
  *p = (Pinned){base, bytes, registered, 1, 0, pinnings};
  pinnings = p;
  return success;
}
static int unpin(void* base, int registered) {
  for (Pinned* p = pinnings; p; p = p->next) {
    if (!p->live || p->base != base || p->registered != registered) { continue; }
    if (p->pending) { complain("pinned memory is given back before %d copies", p->pending); }
    p->live = 0;
    return success;
  }
  complain("%p is not pinned", base);
  return invalid_value;
}
int hipHostMalloc(void** to, size_t bytes, unsigned flags) { WORKING; *to = malloc(bytes); return flags ? invalid_value : pin(*to, bytes, 0); }
int hipHostFree(void* at) { WORKING; int result = unpin(at, 0); if (result == success) { free(at); } return result; }
// Registered memory is mapped, and memory of the device until it is unregistered.
int hipHostRegister(void* at, size_t bytes, unsigned flags) {
  WORKING;
  if (SET("refuse")) { SET("refuse")--; return out_of_memory; }
  if (flags != 2) { complain("memory is registered with the flags %u", flags); return invalid_value; }
  Memory* m = calloc(1, sizeof *m);
  *m = (Memory){.base = at, .bytes = bytes, .device = current, .next = memories};
  memories = m;
  return pin(at, bytes, 1);
}
int hipHostGetDevicePointer(void** to, void* at, unsigned flags) {
  WORKING;
  if (SET("refuse mapping")) { return out_of_memory; }
  *to = at;
  return !flags && find(at, 1, 0, "a mapping") ? success : invalid_value;
}
int hipHostUnregister(void* at) {
  WORKING;
  Memory* m = find(at, 1, 0, "unregistering");
  if (m) { m->freeing = m->freed = 1; }
  return unpin(at, 1);
}

// describe makes the command of a launch.
static int describe(Command* c, Function* given, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void** parameters, void** extra) {
  HANDLE(Function, f, given, function_kind);
  if (SET("refuse launch")) { return (int)SET("refuse launch"); }
  Kernel* k = f->kernel;
  if (!f->module->h.live) { complain("a launch of a kernel whose module is gone"); return invalid_handle; }
  if ((uint64_t)gx * bx >> 32 || (uint64_t)gy * by >> 32 || (uint64_t)gz * bz >> 32 || gx * gy * gz * bx * by * bz == 0) { complain("a grid of %u x %u x %u workgroups of %u x %u x %u", gx, gy, gz, bx, by, bz); return invalid_value; }
  if (bx * by * bz > k->most || shared || extra) { complain("a workgroup of %u, %u bytes of workgroup memory", bx * by * bz, shared); return invalid_value; }
  *c = (Command){.kind = launch_command, .module = f->module, .run = {.image = f->module->image, .image_bytes = f->module->bytes, .name = k->name,
    .grid = {gx, gy, gz}, .block = {bx, by, bz}, .count = k->count}};
  unsigned char* segment = malloc(k->segment + 8);
  memset(segment, 0xcd, k->segment + 8);
  c->run.segment = segment;
  for (unsigned n = 0; n < k->count; n++) {
    c->run.arguments[n].offset = k->list[n].offset;
    c->run.arguments[n].size = k->list[n].size;
    memcpy(segment + k->list[n].offset, parameters[n], k->list[n].size);
    if (!k->list[n].address) { continue; }
    uint64_t address;
    memcpy(&address, segment + k->list[n].offset, 8);
    Memory* m = find((void*)address, 1, 0, "a launch's use");
    if (!m) { free(segment); return invalid_value; }
    if (address % 16) { complain("a binding at %p", (void*)address); }
    c->run.arguments[n].bytes = m->bytes;
  }
  return success;
}
int hipModuleLaunchKernel(Function* given, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream* stream, void** parameters, void** extra) {
  if (SET("as cuda") && (current < 0 || current != ((Handle*)stream)->device)) { return current < 0 ? invalid_context : invalid_handle; }
  WORKING;
  HANDLE(Stream, s, stream, stream_kind);
  Command c;
  int result = describe(&c, given, gx, gy, gz, bx, by, bz, shared, parameters, extra);
  if (result == success) { enqueue(s, c); }
  return result;
}

// Graphs. The node that was made last runs first, as far as their edges allow.
typedef struct { uint32_t block[3]; void** extra; Function* func; uint32_t grid[3]; void** parameters; uint32_t shared; } KernelNode;
typedef struct { unsigned char* to; uint32_t element; size_t height, pitch; uint32_t value; size_t width; } FillNode;        // before HIP 7
typedef struct { unsigned char* to; size_t pitch; uint32_t value, element; size_t width, height; } FillNode7;

int hipGraphCreate(Graph** to, unsigned flags) {
  WORKING;
  *to = make(graph_kind, sizeof(Graph));
  return flags ? invalid_value : success;
}
int hipGraphDestroy(Graph* given) {
  WORKING;
  HANDLE(Graph, g, given, graph_kind);
  for (int n = 0; n < g->count; n++) {
    g->nodes[n]->h.live = 0;
    if (g->nodes[n]->command.kind == launch_command) { free((void*)g->nodes[n]->command.run.segment); }
  }
  g->h.live = 0;
  return success;
}
static int add_node(Node** to, Graph* given, Node** after, size_t count, Command c, int empty) {
  HANDLE(Graph, g, given, graph_kind);
  for (size_t i = 0; i < count; i++) {
    Node* before = check_handle(after[i], node_kind, __func__);
    if (!before || before->graph != g) { complain("a node behind one of another graph"); return invalid_value; }
  }
  if (g->count == most_nodes) { complain("a graph of more than %d nodes", most_nodes); return invalid_value; }
  Node* n = make(node_kind, sizeof *n);
  n->graph = g;
  n->number = g->count;
  n->empty = empty;
  n->command = c;
  n->count = (int)count;
  n->after = calloc(count + 1, sizeof *n->after);
  if (count) { memcpy(n->after, after, count * sizeof *after); }
  g->nodes[g->count++] = n;
  *to = n;
  return success;
}
int hipGraphAddKernelNode(Node** to, Graph* g, Node** after, size_t count, const KernelNode* k) {
  WORKING;
  if (SET("no graph kernels")) { return 98; } // hipErrorInvalidDeviceFunction
  Command c;
  int result = describe(&c, k->func, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shared, k->parameters, k->extra);
  return result == success ? add_node(to, g, after, count, c, 0) : result;
}
int hipGraphAddMemcpyNode1D(Node** to, Graph* g, Node** after, size_t count, void* target, void* source, size_t bytes, int kind) {
  WORKING;
  if (kind != 3) { complain("a copy node of kind %d", kind); return invalid_value; }
  if (!find(source, bytes, 0, "a copy node") || !find(target, bytes, 0, "a copy node")) { return invalid_value; }
  return add_node(to, g, after, count, (Command){.kind = copy_command, .to = target, .from = source, .bytes = bytes}, 0);
}
int hipGraphAddMemsetNode(Node** to, Graph* g, Node** after, size_t count, const void* parameters) {
  WORKING;
  FillNode f;
  memcpy(&f, parameters, sizeof f);
  if (SET("version") >= 70000000) {
    FillNode7 own;
    memcpy(&own, parameters, sizeof own);
    f = (FillNode){own.to, own.element, own.height, own.pitch, own.value, own.width};
  }
  if (f.element != 4 || f.height != 1) { complain("a fill node of elements of %u in %zu rows", f.element, f.height); return invalid_value; }
  if (!find(f.to, 4 * f.width, 0, "a fill node")) { return invalid_value; }
  return add_node(to, g, after, count, (Command){.kind = fill_command, .to = f.to, .bytes = 4 * f.width, .value = f.value}, 0);
}
int hipGraphAddEmptyNode(Node** to, Graph* g, Node** after, size_t count) {
  WORKING;
  return add_node(to, g, after, count, (Command){0}, 1);
}
static Command own_copy(Command c) {
  if (c.kind != launch_command) { return c; }
  Kernel* k = NULL;
  for (int n = 0; n < c.module->in.count; n++) { if (c.module->in.list[n].name == c.run.name) { k = &c.module->in.list[n]; } }
  unsigned char* segment = malloc(k->segment + 8);
  memcpy(segment, c.run.segment, k->segment + 8);
  c.run.segment = segment;
  return c;
}
int hipGraphInstantiateWithFlags(Execution** to, Graph* given, unsigned long long flags) {
  WORKING;
  HANDLE(Graph, g, given, graph_kind);
  Execution* e = make(execution_kind, sizeof *e);
  e->graph = g;
  e->count = g->count;
  for (int n = 0; n < g->count; n++) { e->commands[n] = g->nodes[n]->empty ? (Command){.kind = -1} : own_copy(g->nodes[n]->command); }
  *to = e;
  return flags ? invalid_value : success;
}
int hipGraphExecDestroy(Execution* given) {
  WORKING;
  HANDLE(Execution, e, given, execution_kind);
  if (e->pending) { complain("a graph is destroyed before %d of its nodes", e->pending); }
  for (int n = 0; n < e->count; n++) { if (e->commands[n].kind == launch_command) { free((void*)e->commands[n].run.segment); } }
  e->h.live = 0;
  return success;
}
int hipGraphExecKernelNodeSetParams(Execution* given, Node* node, const KernelNode* k) {
  WORKING;
  HANDLE(Execution, e, given, execution_kind);
  HANDLE(Node, n, node, node_kind);
  if (n->graph != e->graph || e->commands[n->number].kind != launch_command) { complain("a node of another graph, or kind, is changed"); return invalid_value; }
  Command c;
  int result = describe(&c, k->func, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shared, k->parameters, k->extra);
  if (result != success) { return result; }
  free((void*)e->commands[n->number].run.segment);
  e->commands[n->number] = c;
  return success;
}
int hipGraphLaunch(Execution* given, Stream* stream) {
  WORKING;
  HANDLE(Execution, e, given, execution_kind);
  HANDLE(Stream, s, stream, stream_kind);
  if (!e->graph->h.live) { complain("a launch of a graph that was destroyed"); return invalid_value; }
  char given_out[most_nodes] = {0};
  for (int left = e->count; left > 0; left--) {
    int n = e->count - 1;
    for (; n >= 0; n--) {
      int ready = !given_out[n];
      for (int i = 0; ready && i < e->graph->nodes[n]->count; i++) { ready = given_out[e->graph->nodes[n]->after[i]->number]; }
      if (ready) { break; }
    }
    given_out[n] = 1;
    if (e->commands[n].kind < 0) { continue; }
    Command c = own_copy(e->commands[n]);
    c.execution = e;
    enqueue(s, c);
  }
  return success;
}

// What tests ask.
void hip_set(const char* name, long value) { ENTER; SET(name) = value; }
// hip_enqueue enqueues work of another library, which returns 0 while it waits.
void hip_enqueue(Stream* s, int (*foreign)(void*), void* data) { enqueue(s, (Command){.kind = foreign_command, .foreign = foreign, .data = data}); }
void hip_run(int (*run)(Run*, int, char*, int)) { ENTER; runner = run; }
// hip_complaints has the complaints since the last time, and revives a device that is lost.
const char* hip_complaints(void) {
  static char text[sizeof complaints];
  ENTER;
  strcpy(text, complaints);
  complaints[0] = 0;
  return text;
}
// hip_reset revives a device that was lost, and counts what it left as given back.
void hip_reset(void) {
  ENTER;
  lost = 0;
  for (Handle* h = handles; h; h = h->next) { h->live = 0; }
  for (Memory* m = memories; m; m = m->next) { m->freeing = m->freed = m->reused = 1; }
  for (Pinned* p = pinnings; p; p = p->next) { p->live = 0; }
  memset(pools, 0, sizeof pools);
  memset(peer_access, 0, sizeof peer_access);
  memset(pool_access, 0, sizeof pool_access);
}
// hip_live lists what is not given back.
const char* hip_live(void) {
  static char text[2000];
  ENTER;
  text[0] = 0;
  for (Handle* h = handles; h; h = h->next) {
    if (h->live && h->kind != function_kind && h->kind != pool_kind && h->kind != node_kind && strlen(text) < 1900) { sprintf(text + strlen(text), "%s ", kinds[h->kind]); }
  }
  for (Memory* m = memories; m; m = m->next) { if (!m->freeing && strlen(text) < 1900) { sprintf(text + strlen(text), "%zu bytes ", m->bytes); } }
  for (Pinned* p = pinnings; p; p = p->next) { if (p->live && strlen(text) < 1900) { sprintf(text + strlen(text), "%zu pinned bytes ", p->bytes); } }
  return text;
}
