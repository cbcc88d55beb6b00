// The functions that metal_stdlib.h needs of the runtime (fibers/runtime.h), the reader of the textures and samplers of a
// launch, and the handlers of the compiler's checks.
#pragma once

namespace bench {

// Bound is what a launch binds besides buffers.
struct Bound {
  Image* textures[97];
  Sampler samplers[16];
};

static const char* text(FILE* in) {
  static char name[64];
  uint n = word(in);
  if (n >= sizeof name || fread(name, 1, n, in) != n) { exit(2); }
  name[n] = 0;
  return name;
}

static float float_word(FILE* in) {
  uint bits = word(in);
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

// image reads a texture of a launch: its description, and the buffers of its levels.
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
  s.lowest = float_word(in); s.highest = float_word(in);
  const struct { const char* name; char is; } functions[] = {{"less", '<'}, {"less-equal", '('}, {"equal", '='}, {"not-equal", '!'},
    {"greater", '>'}, {"greater-equal", ')'}, {"always", 'a'}, {"never", 'n'}};
  const char* name = text(in);
  s.compare = 0;
  for (auto& f : functions) { if (strcmp(name, f.name) == 0) { s.compare = f.is; } }
  return s;
}

static void* read_bound(FILE* in, Memory* memory) {
  Bound* b = new Bound();
  uint images = word(in);
  if (images > 96) { exit(2); }
  for (uint i = 0; i < images; i++) { b->textures[i] = image(in, memory); }
  uint kinds = word(in);
  if (kinds > 16) { exit(2); }
  for (uint i = 0; i < kinds; i++) { b->samplers[i] = sampler(in); }
  return b;
}

// forget_writes resets the unfenced writes for the next workgroup.
static void forget_writes(void* bound) {
  if (!bound) { return; }
  for (Image** m = ((Bound*)bound)->textures; *m; m++) { memset((*m)->unfenced, 0, sizeof (*m)->unfenced); }
}

} // namespace bench

namespace metal {

unsigned int spurious;

uint invocation() { return bench::current->arguments.index; }

void failed(const char* what) { bench::fail("%s", what); }

void workgroup_barrier(int line) { bench::workgroup_barrier(line); }

Converged converge(int line, const void* value, unsigned int bytes) {
  unsigned int mask = (unsigned int)bench::converge(line, value, bytes);
  return Converged{mask, bench::lane()};
}

const void* lane_value(unsigned int lane) { return bench::lane_value(lane); }

unsigned int scrambling() {
  const unsigned int* group = bench::current->arguments.group;
  return 1 + group[0] + 1031 * group[1] + 65537 * group[2];
}

} // namespace metal

// The handlers of the compiler's checks (-fsanitize=…). Their first argument begins with the location in the source.
namespace bench {
struct Location { const char* file; uint line, column; };
}
#define CHECK(NAME, WHAT) \
  extern "C" void __ubsan_handle_##NAME(bench::Location* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); } \
  extern "C" void __ubsan_handle_##NAME##_abort(bench::Location* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); }
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
extern "C" void __ubsan_handle_builtin_unreachable(bench::Location* p) { bench::fail("undefined behaviour at line %u: code that is never reached", p->line); }
extern "C" void __ubsan_handle_missing_return(bench::Location* p) { bench::fail("undefined behaviour at line %u: a function ends without a result", p->line); }
