// This library stands in for RCCL and HIP together, so that calls of RCCL's functions, which are
// NCCL's, can be executed and judged where there is no device of AMD's. The functions are as NCCL's
// user guide describes them.
//
// An operation is a command of its stream, which waits until all ranks have come to theirs, and
// then has its results: one rank after the other, so sums are exact. It judges: communicators that
// are gone, streams and memory of another device than the rank's, memory that the other ranks of a
// process cannot access, groups that are not ended, operations that differ.
//
// Communicators that do not block have their calls in progress: for as many questions as "progress"
// says, and with "lazy" until all ranks have come to their first operation, which connects them.
// Only then is the work enqueued. It judges calls before that.
#include "../../driver/rocm/testdata/shim.c"

enum { nccl_success = 0, cuda_error = 1, system_error = 2, invalid_argument = 4, invalid_usage = 5, remote_error = 6, in_progress = 7 };

// What tests set, by name. The next call that an entry is for takes it.
static struct { const char* name; long value; } faults[] = {
  {"version", 22809}, {"init", 0}, {"operation", 0}, {"group", 0}, {"asynchronous", 0}, {"hang", 0}, {"identifiers", 0},
  {"progress", 1}, {"lazy", 0}, {"stuck", 0}, {"late", 0}, {"asked", 0},
};
static long* fault(const char* name) {
  for (unsigned n = 0; n < sizeof faults / sizeof *faults; n++) { if (strcmp(faults[n].name, name) == 0) { return &faults[n].value; } }
  abort();
}
static int taken(const char* name) {
  int value = (int)*fault(name);
  *fault(name) = 0;
  return value;
}

enum { most_ranks = 8, most_operations = 4096 };
typedef struct { char internal[128]; } ncclUniqueId;
struct World;
struct Job;
typedef struct Comm { int live, aborted, rank, device, next, pending, nonblocking, finalized, failed; struct Job* job; struct World* world; int sent[most_ranks], got[most_ranks]; } Comm;

// Part is a rank's part of an operation, or of a message, of which rank 0 sends and rank 1
// receives.
typedef struct { int enqueued, arrived; Comm* comm; Stream* stream; const unsigned char* from; unsigned char* to; } Part;
typedef struct Operation { int kind, type, reduce, root, ranks, done; size_t count; Part parts[most_ranks]; } Operation;
typedef struct World { ncclUniqueId id; int ranks, joined, came[most_ranks], arrived; Comm* comms[most_ranks]; Operation* operations; Operation* messages[most_ranks][most_ranks]; struct World* next; } World;
static World* worlds;
static char last_error[200];
static __thread int depth;

// Batch is what one stream does together: the operations of a group.
typedef struct Batch { Stream* stream; int count; Operation* operations[64]; int parts[64]; Comm* comms[64]; } Batch;
static __thread Batch* batches[16];
static __thread int batch_count;
static __thread struct { Comm** to; ncclUniqueId id; int ranks, rank, device, nonblocking; } starting[most_ranks];
static __thread int starting_count;

static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

int ncclGetVersion(int* version) { *version = (int)*fault("version"); return nccl_success; }
int ncclGetUniqueId(ncclUniqueId* id) {
  ENTER;
  long number = ++*fault("identifiers");
  for (unsigned n = 0; n < sizeof id->internal; n++) { id->internal[n] = (char)(17 * n + 3); }
  memcpy(id->internal + 100, &number, sizeof number);
  return nccl_success;
}
const char* ncclGetErrorString(int code) { return code == remote_error ? "remote process exited or there was a network error" : "as the test asks"; }
const char* ncclGetLastError(Comm* comm) { (void)comm; return last_error; }

static int run_batch(void* data);

static World* world_of(const ncclUniqueId* id, int ranks) {
  for (World* w = worlds; w; w = w->next) { if (memcmp(&w->id, id, sizeof *id) == 0) { return w; } }
  World* w = calloc(1, sizeof *w);
  w->id = *id;
  w->ranks = ranks;
  w->operations = calloc(most_operations, sizeof *w->operations);
  for (int n = 0; n < most_ranks * most_ranks; n++) { w->messages[n / most_ranks][n % most_ranks] = calloc(most_operations, sizeof(Operation)); }
  w->next = worlds;
  return worlds = w;
}

// Job is what a call of communicators that do not block has in progress.
typedef struct Job { int questions, initialises, finalizes, collective, comm_count, batch_count; Comm* comms[most_ranks]; Batch* batches[16]; } Job;

static Job* begin(Comm* c, Job* j) {
  if (!j) {
    j = calloc(1, sizeof *j);
    j->questions = (int)*fault("progress");
  }
  if (c->job && c->job != j) { complain("rank %d is used before its last call is done", c->rank); }
  c->job = j;
  for (int n = 0; n < j->comm_count; n++) { if (j->comms[n] == c) { return j; } }
  j->comms[j->comm_count++] = c;
  return j;
}

// advance does a job if it can be done, and reports whether it was.
static int advance(Job* j) {
  for (int n = 0; n < j->comm_count; n++) {
    World* w = j->comms[n]->world;
    if (j->initialises && (w->joined < w->ranks || *fault("hang"))) { return 0; }
    if (j->collective && *fault("lazy") && w->arrived < w->ranks) { return 0; }
  }
  if (j->finalizes && *fault("stuck")) { return 0; }
  if (j->questions > 0) { j->questions--; return 0; }
  for (int n = 0; n < j->batch_count; n++) { hip_enqueue(j->batches[n]->stream, run_batch, j->batches[n]); }
  for (int n = 0; n < j->comm_count; n++) { j->comms[n]->job = NULL; }
  free(j);
  return 1;
}

// drop forgets a job, as an abort does. What it had is never enqueued.
static void drop(Job* j, int code) {
  for (int n = 0; n < j->comm_count; n++) {
    j->comms[n]->job = NULL;
    j->comms[n]->finalized = 0;
    j->comms[n]->failed = code;
  }
  free(j);
}

// join makes a communicator, and does not wait for the others.
static int join(Comm** to, const ncclUniqueId* id, int ranks, int rank, int device) {
  if (device < 0) { complain("a rank joins on a thread without a device"); return cuda_error; }
  World* w = world_of(id, ranks);
  if (w->ranks != ranks || rank < 0 || rank >= ranks || w->comms[rank]) { complain("rank %d of %d joins %d ranks", rank, ranks, w->ranks); return invalid_argument; }
  for (int n = 0; n < ranks; n++) { if (w->comms[n] && w->comms[n]->device == device) { strcpy(last_error, "Duplicate GPU detected"); return invalid_usage; } }
  Comm* c = calloc(1, sizeof *c);
  *c = (Comm){.live = 1, .rank = rank, .device = device, .world = w};
  w->comms[rank] = c;
  w->joined++;
  *to = c;
  return nccl_success;
}

static int initialise(Comm** to, int ranks, const ncclUniqueId* id, int rank, int nonblocking) {
  int code = taken("init");
  if (code) { return code; }
  if (depth) {
    starting[starting_count].to = to;
    starting[starting_count].id = *id;
    starting[starting_count].ranks = ranks;
    starting[starting_count].rank = rank;
    starting[starting_count].nonblocking = nonblocking;
    starting[starting_count++].device = current;
    return nccl_success;
  }
  code = join(to, id, ranks, rank, current);
  if (code == nccl_success && nonblocking) {
    (*to)->nonblocking = 1;
    begin(*to, NULL)->initialises = 1;
    return advance((*to)->job) ? nccl_success : in_progress;
  }
  while (code == nccl_success && ((*to)->world->joined < ranks || *fault("hang"))) { take_pause(); }
  return code;
}
int ncclCommInitRank(Comm** to, int ranks, ncclUniqueId id, int rank) { ENTER; return initialise(to, ranks, &id, rank, 0); }

typedef struct { size_t size; unsigned magic, version; int blocking; } ncclConfig_t;
int ncclCommInitRankConfig(Comm** to, int ranks, ncclUniqueId id, int rank, const ncclConfig_t* config) {
  ENTER;
  if (config->size != 24 || config->magic != 0xcafebeef || config->version != 21400) { complain("a configuration of %zu bytes, %x, version %u", config->size, config->magic, config->version); return invalid_argument; }
  return initialise(to, ranks, &id, rank, config->blocking == 0);
}

static int release(Comm* c, const char* what) {
  if (!c || !c->live) { complain("%s of no communicator", what); return invalid_argument; }
  c->live = 0;
  return nccl_success;
}
int ncclCommFinalize(Comm* c) {
  ENTER;
  if (!c || !c->live || c->finalized) { complain("a communicator that is gone is finalized"); return invalid_argument; }
  if (c->pending && !lost) { complain("a communicator is finalized before %d operations", c->pending); }
  c->finalized = 1;
  if (!c->nonblocking) { return nccl_success; }
  begin(c, NULL)->finalizes = 1;
  return advance(c->job) ? nccl_success : in_progress;
}
int ncclCommDestroy(Comm* c) {
  ENTER;
  if (c && c->pending && !lost) { complain("a communicator is destroyed before %d operations", c->pending); }
  if (c && c->nonblocking && (c->job || !c->finalized)) { complain("a communicator is destroyed before it is finalized"); }
  return release(c, "the destruction");
}
int ncclCommAbort(Comm* c) {
  ENTER;
  if (c) {
    c->aborted = 1;
    if (c->job) { drop(c->job, 3); }
  }
  return release(c, "the abort");
}
int ncclCommGetAsyncError(Comm* c, int* code) {
  ENTER;
  if (!c || !c->live) { complain("a communicator that is gone is asked for errors"); return invalid_argument; }
  ++*fault("asked");
  if (c->job && !advance(c->job)) { *code = in_progress; return nccl_success; }
  *code = c->failed ? c->failed : c->rank == 0 ? taken("asynchronous") : 0;
  if (*code == 0) { *code = taken("late"); }
  return nccl_success;
}

// The numbers that the tests use. Others are moved only.
#define REDUCE(TYPE) \
  for (size_t i = 0; i < n; i++) { \
    TYPE x, y; \
    memcpy(&x, sum + i * sizeof x, sizeof x); memcpy(&y, with + i * sizeof y, sizeof y); \
    switch (reduce) { case 1: x *= y; break; case 2: x = x > y ? x : y; break; case 3: x = x < y ? x : y; break; default: x += y; } \
    if (reduce == 4 && last) { x /= (TYPE)ranks; } \
    memcpy(sum + i * sizeof x, &x, sizeof x); \
  } break
static void accumulate(unsigned char* sum, const unsigned char* with, size_t n, int type, int reduce, int ranks, int last) {
  switch (type) {
  case 0: REDUCE(int8_t);
  case 1: REDUCE(uint8_t);
  case 2: REDUCE(int32_t);
  case 3: REDUCE(uint32_t);
  case 4: REDUCE(int64_t);
  case 5: REDUCE(uint64_t);
  case 7: REDUCE(float);
  case 8: REDUCE(double);
  default: complain("numbers of type %d are combined", type);
  }
}

enum { all_reduce, all_gather, reduce_scatter, broadcast, message };

// compute has the results of an operation to which all ranks have come.
static void compute(Operation* o) {
  size_t bytes = o->count * sizes[o->type], n = o->kind == reduce_scatter ? (size_t)o->ranks : 1;
  unsigned char* result = calloc(1, (size_t)o->ranks * bytes + 1);
  switch (o->kind) {
  case all_reduce: case reduce_scatter:
    memcpy(result, o->parts[0].from, n * bytes);
    if (o->ranks == 1 && o->reduce == 4) { break; }
    for (int r = 1; r < o->ranks; r++) { accumulate(result, o->parts[r].from, n * o->count, o->type, o->reduce, o->ranks, r == o->ranks - 1); }
    break;
  case all_gather:
    for (int r = 0; r < o->ranks; r++) { memcpy(result + r * bytes, o->parts[r].from, bytes); }
    break;
  case broadcast: memcpy(result, o->parts[o->root].from, bytes); break;
  case message: memcpy(result, o->parts[0].from, bytes); break;
  }
  for (int r = 0; r < o->ranks; r++) {
    if (!o->parts[r].to) { continue; }
    memcpy(o->parts[r].to, result + (o->kind == reduce_scatter ? r * bytes : 0), o->kind == all_gather ? o->ranks * bytes : bytes);
  }
  free(result);
}

// run_batch tries to finish the operations of a batch. Other streams are executed to come to
// theirs.
static int run_batch(void* data) {
  Batch* b = data;
  int left = 0;
  for (int n = 0; n < b->count; n++) { b->operations[n]->parts[b->parts[n]].arrived = 1; }
  for (int n = 0; n < b->count; n++) {
    Operation* o = b->operations[n];
    if (b->comms[n]->aborted || o->done) { continue; }
    int missing = 0;
    for (int r = 0; r < o->ranks; r++) {
      Part* p = &o->parts[r];
      if (p->enqueued && !p->arrived) { execute(p->stream, NULL); }
      missing |= !p->enqueued || !p->arrived;
    }
    if (!missing && !o->done) {
      compute(o);
      o->done = 1;
    }
    left |= missing && !o->done;
  }
  if (left) { return 0; }
  for (int n = 0; n < b->count; n++) { b->comms[n]->pending--; }
  free(b);
  return 1;
}

// add enqueues a rank's part, or keeps it for the end of the group.
static int add(Comm* c, Stream* s, int kind, int type, int reduce, int root, size_t count, const void* from, void* to, int peer, int sends) {
  int code = taken("operation");
  if (code) { return code; }
  if (!c || !c->live) { complain("an operation of a communicator that is gone"); return invalid_argument; }
  if (c->job) { complain("an operation of rank %d before its last call is done", c->rank); return invalid_argument; }
  if (s->h.kind != stream_kind || !s->h.live || s->h.device != c->device) { complain("an operation on a stream of device %d, and the rank has %d", s->h.device, c->device); return invalid_argument; }
  World* w = c->world;
  size_t bytes = count * sizes[type];
  struct { const void* at; size_t bytes; } uses[2] = {{from, bytes * (kind == reduce_scatter ? w->ranks : 1)}, {to, bytes * (kind == all_gather ? w->ranks : 1)}};
  for (int n = 0; n < 2; n++) {
    if (!uses[n].at || !uses[n].bytes) { continue; }
    Memory* m = find(uses[n].at, uses[n].bytes, 0, "an operation");
    if (!m) { return invalid_argument; }
    if (m->device != c->device) { complain("an operation on memory of device %d, and the rank has %d", m->device, c->device); }
    for (int r = 0; r < w->ranks; r++) {
      int other = w->comms[r]->device;
      if (*fault("hang") == 0 && SET("peers") && other != c->device && !pool_access[c->device][other]) { complain("device %d cannot access the memory of %d", other, c->device); }
    }
  }
  Operation* o;
  int part = c->rank;
  if (kind == message) {
    part = sends ? 0 : 1;
    int n = sends ? c->sent[peer]++ : c->got[peer]++;
    o = &(sends ? w->messages[c->rank][peer] : w->messages[peer][c->rank])[n];
  } else {
    o = &w->operations[c->next++];
    w->arrived += !w->came[c->rank];
    w->came[c->rank] = 1;
  }
  Operation own = {.kind = kind, .type = type, .reduce = reduce, .root = root, .ranks = kind == message ? 2 : w->ranks, .count = count};
  if (o->ranks == 0) { *o = own; }
  if (o->kind != kind || o->type != type || o->reduce != reduce || o->root != root || o->count != count) { complain("operation %d of %zu, and of another rank %d of %zu", kind, count, o->kind, o->count); return invalid_usage; }
  o->parts[part] = (Part){.enqueued = 1, .comm = c, .stream = s, .from = from, .to = to};
  c->pending++;
  Batch* b = NULL;
  for (int n = 0; n < batch_count; n++) { if (batches[n]->stream == s) { b = batches[n]; } }
  if (!b) {
    b = calloc(1, sizeof *b);
    b->stream = s;
    batches[batch_count++] = b;
  }
  b->operations[b->count] = o;
  b->comms[b->count] = c;
  b->parts[b->count++] = part;
  return nccl_success;
}

// flush enqueues what the thread has collected, or has it in progress.
static int flush(int code) {
  Job* j = NULL;
  for (int n = 0; n < batch_count; n++) {
    if (!batches[n]->comms[0]->nonblocking) {
      hip_enqueue(batches[n]->stream, run_batch, batches[n]);
      continue;
    }
    for (int k = 0; k < batches[n]->count; k++) {
      j = begin(batches[n]->comms[k], j);
      j->collective |= batches[n]->operations[k]->kind != message;
    }
    j->batches[j->batch_count++] = batches[n];
  }
  batch_count = 0;
  return j && !advance(j) && code == nccl_success ? in_progress : code;
}
static int added(int code) { return depth ? code : flush(code); }

int ncclGroupStart(void) { depth++; return nccl_success; }
int ncclGroupEnd(void) {
  ENTER;
  if (depth == 0) { complain("a group is ended on a thread that has begun none"); return invalid_usage; }
  if (--depth) { return nccl_success; }
  int code = taken("group");
  Job* j = NULL;
  for (int n = 0; n < starting_count && !code; n++) {
    code = join(starting[n].to, &starting[n].id, starting[n].ranks, starting[n].rank, starting[n].device);
    if (code || !starting[n].nonblocking) { continue; }
    (*starting[n].to)->nonblocking = 1;
    (j = begin(*starting[n].to, j))->initialises = 1;
  }
  starting_count = 0;
  if (j && !code) { return advance(j) ? nccl_success : in_progress; }
  return flush(code);
}

#define OPERATION ENTER; if (lost) { return cuda_error; }
int ncclAllReduce(const void* from, void* to, size_t count, int type, int reduce, Comm* c, Stream* s) { OPERATION; return added(add(c, s, all_reduce, type, reduce, 0, count, from, to, 0, 0)); }
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int reduce, Comm* c, Stream* s) { OPERATION; return added(add(c, s, reduce_scatter, type, reduce, 0, count, from, to, 0, 0)); }
int ncclAllGather(const void* from, void* to, size_t count, int type, Comm* c, Stream* s) { OPERATION; return added(add(c, s, all_gather, type, 0, 0, count, from, to, 0, 0)); }
int ncclBroadcast(const void* from, void* to, size_t count, int type, int root, Comm* c, Stream* s) { OPERATION; return added(add(c, s, broadcast, type, 0, root, count, from, to, 0, 0)); }
int ncclSend(const void* from, size_t count, int type, int peer, Comm* c, Stream* s) { OPERATION; return added(add(c, s, message, type, 0, 0, count, from, NULL, peer, 1)); }
int ncclRecv(void* to, size_t count, int type, int peer, Comm* c, Stream* s) { OPERATION; return added(add(c, s, message, type, 0, 0, count, NULL, to, peer, 0)); }

// What tests ask.
void rccl_set(const char* name, long value) { ENTER; *fault(name) = value; }
long rccl_get(const char* name) { ENTER; return *fault(name); }
int rccl_live(void) {
  ENTER;
  int n = 0;
  for (World* w = worlds; w; w = w->next) { for (int r = 0; r < w->ranks; r++) { n += w->comms[r] && w->comms[r]->live; } }
  return n;
}
void rccl_reset(void) {
  ENTER;
  static const char* usual[] = {"init", "operation", "group", "asynchronous", "hang", "lazy", "stuck", "late", "asked"};
  for (unsigned n = 0; n < sizeof usual / sizeof *usual; n++) { *fault(usual[n]) = 0; }
  *fault("progress") = 1;
}
int rccl_depth(void) { return depth; }
