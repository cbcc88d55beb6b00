// This library stands in for the Objective-C runtime and Metal on Linux, so that the driver's calls can be executed and
// judged where there is neither. It has the classes and methods that the driver uses, as Apple's documentation describes
// them, each an ordinary C function with the method's parameters; objc_msgSend finds it by the selector and jumps to it
// with all registers and the stack as they were, so that arguments are passed as by the real one.
//
// It judges: messages to objects that were released, releases too many, objects that are autoreleased without a pool, pools
// that are popped on another thread than they were pushed on or in another order, encoders that are not ended, commands
// behind the end of an encoder, sizes and indices beyond Metal's limits. It counts objects that live. Kernels are executed by
// whoever sets a runner, when a command buffer is waited for or asked about for the third time: work is late.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long NSUInteger;
typedef const char* SEL;
typedef struct Object* id;
typedef struct { NSUInteger width, height, depth; } MTLSize;

typedef struct { const void* bytes; NSUInteger length, offset; id buffer; } Binding;

// Texture and Sampler are those of a dispatch, in Metal's numbers.
typedef struct {
  NSUInteger type, format, width, height, depth, layers, levels;
  unsigned char* level[16];
  NSUInteger bytes[16];
} Texture;
typedef struct { NSUInteger address[3], magnify, minify, mip, compares, compare; float lowest, highest; } Sampler;

// Run is a dispatch as the runner is told of it.
typedef struct {
  const char *source, *name;
  NSUInteger grid[3], size[3], shared, count;
  Binding bindings[31];
  NSUInteger texture_count, sampler_count;
  Texture* textures[16];
  Sampler* samplers[8];
} Run;

typedef struct Command { int copy; Run run; Texture* texture; NSUInteger slice, level, row, image; MTLSize size; id from, to; NSUInteger from_offset, to_offset, bytes; } Command;

struct Object {
  const char* class;
  long references;
  struct Object* next;
  char* text;
  long code;
  unsigned char* bytes;
  NSUInteger length;
  int borrowed;        // the bytes are the program's
  id owner;            // of a function its library, of a pipeline its function, of an encoder its command buffer
  id* held;            // what a command buffer retains, what an array has
  int held_count;
  Command* commands;   // of a command buffer
  int command_count, status, asked, open;
  double end;
  id following;        // the next command buffer of a queue
  id first, last;      // of a queue: those that are committed and not executed
  Run state;           // of a compute encoder
  int ended;
  Texture texture;     // of a texture or the descriptor of one
  NSUInteger usage, storage;
  Sampler sampler;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char complaints[2000];
static id objects;
static double clock_now;
static int (*runner)(Run*, int, char*, int);
static int fail_next_code;
static int no_math_mode;
static int refuse_buffers;
static int small_pipelines;
static int archives_fail; // see shim_archives
static char system_version[100] = "Version 14.5 (Build 23F79)";
static int compiled;      // pipelines, since shim_archives

static void prepare(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &a);
}
static void lock(void) { pthread_once(&once, prepare); pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void complain(const char* format, ...) {
  char line[300];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line - 2, format, list);
  va_end(list);
  strcat(line, "\n");
  lock();
  if (strlen(complaints) + strlen(line) < sizeof complaints) { strcat(complaints, line); }
  unlock();
}

static id make(const char* class) {
  id o = calloc(1, sizeof *o);
  o->class = class;
  o->references = 1;
  lock();
  o->next = objects;
  objects = o;
  unlock();
  return o;
}

static id retain(id o) { if (o) { lock(); o->references++; unlock(); } return o; }

static void release(id o) {
  if (!o) { return; }
  lock();
  if (o->references <= 0) { complain("%s is released too often", o->class); unlock(); return; }
  if (--o->references == 0) { // what is left stays, so that messages to it are seen
    if (o->open && o->status < 2) { complain("a command buffer is gone that was not committed"); }
    if (o->bytes && !o->borrowed) { memset(o->bytes, 0xee, o->length); free(o->bytes); }
    o->bytes = NULL;
    free(o->commands); o->commands = NULL;
    if (strcmp(o->class, "MTLTexture") == 0 && !o->owner) { for (NSUInteger i = 0; i < o->texture.levels; i++) { free(o->texture.level[i]); } }
    for (int i = 0; i < o->held_count; i++) { release(o->held[i]); }
    free(o->held); o->held = NULL; o->held_count = 0;
    release(o->owner); o->owner = NULL;
  }
  unlock();
}

static void hold(id by, id o) {
  by->held = realloc(by->held, (by->held_count + 1) * sizeof *by->held);
  by->held[by->held_count++] = retain(o);
}

// Autorelease pools, of a thread each.
typedef struct Pool { struct Pool* below; id list[300]; int count; } Pool;
static __thread Pool* top;

void* objc_autoreleasePoolPush(void) {
  Pool* p = calloc(1, sizeof *p);
  p->below = top;
  return top = p;
}

void objc_autoreleasePoolPop(void* token) {
  Pool* p = token;
  if (p != top) { complain("a pool is popped that is not the thread's last"); return; }
  top = p->below;
  for (int i = 0; i < p->count; i++) { release(p->list[i]); }
  free(p);
}

static id autorelease(id o) {
  if (!top) { complain("%s is autoreleased without a pool", o->class); return o; }
  if (top->count == 300) { complain("a pool holds 300 objects"); return o; }
  return top->list[top->count++] = o;
}

static id string_of(const char* text) {
  id o = make("NSString");
  o->text = strdup(text);
  return autorelease(o);
}

static void set_error(id* to, const char* text, long code) {
  if (!to) { complain("nowhere for an error"); return; }
  id o = make("NSError");
  o->text = strdup(text);
  o->code = code;
  *to = autorelease(o);
}

static struct Object classes[] = {{"class NSString", 1}, {"class MTLCompileOptions", 1}, {"class MTLTextureDescriptor", 1}, {"class MTLSamplerDescriptor", 1},
  {"class NSArray", 1}, {"class NSURL", 1}, {"class NSProcessInfo", 1}, {"class MTLBinaryArchiveDescriptor", 1}, {"class MTLComputePipelineDescriptor", 1}};

id objc_getClass(const char* name) {
  for (unsigned long i = 0; i < sizeof classes / sizeof *classes; i++) { if (strcmp(classes[i].class + 6, name) == 0) { return &classes[i]; } }
  return NULL;
}

SEL sel_registerName(const char* name) {
  static SEL names[300];
  lock();
  int i = 0;
  for (; names[i]; i++) { if (strcmp(names[i], name) == 0) { break; } }
  if (!names[i]) { names[i] = strdup(name); }
  unlock();
  return names[i];
}

id MTLCopyAllDevices(void) {
  id array = make("NSArray"), old = make("MTLDevice"), device = make("MTLDevice");
  old->code = 1003; // a family that the driver does not take
  device->code = 1007;
  hold(array, old);
  hold(array, device);
  release(old);
  release(device);
  return array;
}

#define METHOD(RESULT, NAME, ...) static RESULT NAME(id self, SEL selector, ##__VA_ARGS__)

METHOD(id, object_retain) { return retain(self); }
METHOD(void, object_release) { release(self); }
METHOD(signed char, object_responds, SEL s) {
  return !(no_math_mode && strcmp(s, "setMathMode:") == 0) && !(archives_fail == 1 && strcmp(s, "newBinaryArchiveWithDescriptor:error:") == 0);
}
METHOD(id, string_with, const char* text) { return string_of(text); }
METHOD(const char*, string_text) { return self->text; }
METHOD(NSUInteger, array_count) { return self->held_count; }
METHOD(id, array_at, NSUInteger i) { return self->held[i]; }
METHOD(long, error_code) { return self->code; }
METHOD(id, error_text) { return string_of(self->text); }

METHOD(id, device_name) { return string_of("Fake"); }
METHOD(signed char, device_family, long family) { return family <= self->code; }
METHOD(NSUInteger, device_memory) { return 1ul << 32; }
METHOD(NSUInteger, device_threadgroup) { return 32768; }
METHOD(NSUInteger, device_buffer) { return 1ul << 31; }
METHOD(id, device_queue) { return make("MTLCommandQueue"); }
METHOD(id, device_new_buffer, NSUInteger length, NSUInteger options) {
  if (length == 0 || length > 1ul << 31 || options != 0) { complain("a buffer of %lu bytes with options %lu", length, options); return NULL; }
  if (refuse_buffers) { return NULL; }
  id o = make("MTLBuffer");
  o->bytes = aligned_alloc(256, (length + 255) / 256 * 256);
  memset(o->bytes, 0xab, length); // what new memory holds is not defined
  o->length = length;
  return o;
}
METHOD(id, device_new_buffer_with, const void* from, NSUInteger length, NSUInteger options) {
  id o = device_new_buffer(self, selector, length, options);
  if (o) { memcpy(o->bytes, from, length); }
  return o;
}
METHOD(id, device_new_buffer_over, void* bytes, NSUInteger length, NSUInteger options, void* deallocator) {
  if (length == 0 || length % 16384 || (uintptr_t)bytes % 16384 || options != 0 || deallocator) { complain("a buffer over %lu bytes at %p with options %lu", length, bytes, options); return NULL; }
  if (refuse_buffers) { return NULL; }
  id o = make("MTLBuffer");
  o->bytes = bytes;
  o->length = length;
  o->borrowed = 1;
  return o;
}
METHOD(void*, buffer_contents) { return self->bytes; }

// Options of the compiler are kept as text, for tests.
static char last_options[100];
METHOD(id, options_new) { last_options[0] = 0; return make("MTLCompileOptions"); }
METHOD(void, options_language, NSUInteger v) { sprintf(last_options + strlen(last_options), "language %lu.%lu ", v >> 16, v & 0xffff); }
METHOD(void, options_fast, signed char on) { sprintf(last_options + strlen(last_options), "fast %d ", on); }
METHOD(void, options_mode, long mode) { sprintf(last_options + strlen(last_options), "mode %ld ", mode); }
const char* shim_options(void) { return last_options; }

METHOD(id, device_library, id source, id options, id* error) {
  if (strcmp(options->class, "MTLCompileOptions")) { complain("the options are %s", options->class); }
  const char* wrong = strstr(source->text, "#error ");
  if (wrong) { set_error(error, wrong, 3); return NULL; }
  id o = make("MTLLibrary");
  o->text = strdup(source->text);
  return o;
}
METHOD(id, library_function, id name) {
  char head[200];
  snprintf(head, sizeof head, "kernel void %s(", name->text);
  if (!strstr(self->text, head)) { return NULL; }
  id o = make("MTLFunction");
  o->text = strdup(name->text);
  o->owner = retain(self);
  return o;
}
METHOD(id, device_pipeline, id function, id* error) {
  compiled++;
  if (strcmp(function->class, "MTLFunction")) { complain("a pipeline of %s", function->class); }
  if (strstr(function->text, "unlinkable")) { set_error(error, "the function cannot be linked", 2); return NULL; }
  id o = make("MTLComputePipelineState");
  o->owner = retain(function);
  return o;
}
METHOD(NSUInteger, pipeline_threads) { return small_pipelines ? 32 : 1024; }
METHOD(NSUInteger, pipeline_width) { return 32; }

METHOD(id, queue_buffer) {
  id o = make("MTLCommandBuffer");
  o->owner = retain(self);
  return autorelease(o);
}
static id encoder(id buffer, const char* class) {
  if (buffer->open) { complain("a second encoder while one is open"); }
  if (buffer->status) { complain("an encoder of a committed command buffer"); }
  id o = make(class);
  o->owner = retain(buffer);
  buffer->open = 1;
  return autorelease(o);
}
METHOD(id, buffer_compute) { return encoder(self, "MTLComputeCommandEncoder"); }
METHOD(id, buffer_blit) { return encoder(self, "MTLBlitCommandEncoder"); }
static Command* command(id encoder) {
  if (encoder->ended) { complain("a command behind the end of its encoder"); }
  id b = encoder->owner;
  b->commands = realloc(b->commands, (b->command_count + 1) * sizeof *b->commands);
  Command* c = &b->commands[b->command_count++];
  memset(c, 0, sizeof *c);
  return c;
}
METHOD(void, encoder_pipeline, id pipeline) {
  if (strcmp(pipeline->class, "MTLComputePipelineState")) { complain("a pipeline that is %s", pipeline->class); return; }
  hold(self->owner, pipeline);
  self->state.name = pipeline->owner->text;
  self->state.source = pipeline->owner->owner->text;
}
METHOD(void, encoder_buffer, id buffer, NSUInteger offset, NSUInteger index) {
  if (index >= 31 || strcmp(buffer->class, "MTLBuffer") || offset >= buffer->length) { complain("buffer %lu is %s from %lu on", index, buffer->class, offset); return; }
  hold(self->owner, buffer);
  self->state.bindings[index] = (Binding){buffer->bytes, buffer->length, offset, buffer};
  if (index >= self->state.count) { self->state.count = index + 1; }
}
METHOD(void, encoder_bytes, const void* bytes, NSUInteger length, NSUInteger index) {
  if (index >= 31 || length == 0 || length > 4096) { complain("%lu bytes for buffer %lu", length, index); return; }
  id copy = make("MTLBuffer"); // Metal keeps the bytes
  copy->bytes = malloc(length);
  copy->length = length;
  memcpy(copy->bytes, bytes, length);
  encoder_buffer(self, selector, copy, 0, index);
  release(copy);
}
METHOD(void, encoder_threadgroup, NSUInteger length, NSUInteger index) {
  if (length % 16 != 0 || length > 32768 || index != 0) { complain("%lu bytes of threadgroup memory %lu", length, index); }
  self->state.shared = length;
}
METHOD(void, encoder_dispatch, MTLSize grid, MTLSize size) {
  if (size.width * size.height * size.depth == 0 || size.width * size.height * size.depth > 1024) { complain("a threadgroup of %lu x %lu x %lu", size.width, size.height, size.depth); return; }
  if (!self->state.name) { complain("a dispatch without a pipeline"); return; }
  Command* c = command(self);
  c->run = self->state;
  memcpy(c->run.grid, &grid, sizeof grid);
  memcpy(c->run.size, &size, sizeof size);
}
METHOD(void, encoder_copy, id from, NSUInteger from_offset, id to, NSUInteger to_offset, NSUInteger bytes) {
  if (from_offset % 4 || to_offset % 4 || bytes % 4 || bytes == 0 || from_offset + bytes > from->length || to_offset + bytes > to->length) {
    complain("a copy of %lu bytes from %lu of %lu to %lu of %lu", bytes, from_offset, from->length, to_offset, to->length);
    return;
  }
  hold(self->owner, from);
  hold(self->owner, to);
  Command* c = command(self);
  *c = (Command){.copy = 1, .from = from, .to = to, .from_offset = from_offset, .to_offset = to_offset, .bytes = bytes};
}
typedef struct { NSUInteger location, length; } NSRange;
METHOD(void, encoder_fill, id to, NSRange range, unsigned char value) {
  if (range.location % 4 || range.length % 4 || range.length == 0 || range.location + range.length > to->length) {
    complain("a fill of %lu bytes from %lu of %lu", range.length, range.location, to->length);
    return;
  }
  hold(self->owner, to);
  Command* c = command(self);
  *c = (Command){.copy = 4, .to = to, .to_offset = range.location, .bytes = range.length, .row = value};
}
// Textures: sizes are those that MTLTextureDescriptor checks, copies those of MTLBlitCommandEncoder.
static NSUInteger texel_bytes(NSUInteger format) {
  return format < 20 ? 1 : format < 40 || format == 250 ? 2 : format < 100 || format == 252 ? 4 : format < 120 ? 8 : 16;
}
static NSUInteger at_level(NSUInteger size, NSUInteger level) { return size >> level ? size >> level : 1; }
METHOD(id, texture_descriptor) {
  id o = make("MTLTextureDescriptor");
  o->texture = (Texture){.type = 2, .format = 70, .width = 1, .height = 1, .depth = 1, .layers = 1, .levels = 1};
  return o;
}
METHOD(void, set_type, NSUInteger x) { self->texture.type = x; }
METHOD(void, set_format, NSUInteger x) { self->texture.format = x; }
METHOD(void, set_width, NSUInteger x) { self->texture.width = x; }
METHOD(void, set_height, NSUInteger x) { self->texture.height = x; }
METHOD(void, set_depth, NSUInteger x) { self->texture.depth = x; }
METHOD(void, set_layers, NSUInteger x) { self->texture.layers = x; }
METHOD(void, set_levels, NSUInteger x) { self->texture.levels = x; }
METHOD(void, set_storage, NSUInteger x) { self->storage = x; }
METHOD(void, set_usage, NSUInteger x) { self->usage = x; }
METHOD(id, device_texture, id from) {
  Texture t = from->texture;
  int array = t.type == 3;
  if ((t.type != 0 && t.type != 2 && t.type != 3 && t.type != 7) || (!array && t.layers != 1) || (t.type != 7 && t.depth != 1) ||
      (t.type == 0 && (t.height != 1 || t.levels != 1)) || t.levels > 16 || t.width * t.height * t.depth * t.layers == 0) {
    complain("a texture of type %lu, %lu x %lu x %lu, %lu layers, %lu levels", t.type, t.width, t.height, t.depth, t.layers, t.levels);
    return NULL;
  }
  if (from->storage != 2 || ((t.format >= 250 || t.format == 71 || t.format == 81 || t.format == 93) && from->usage & 2)) {
    complain("a texture of format %lu in storage %lu for usage %lu", t.format, from->storage, from->usage);
  }
  id o = make("MTLTexture");
  o->texture = t;
  o->usage = from->usage;
  for (NSUInteger i = 0; i < t.levels; i++) {
    o->texture.bytes[i] = at_level(t.width, i) * at_level(t.height, i) * at_level(t.depth, i) * t.layers * texel_bytes(t.format);
    o->texture.level[i] = malloc(o->texture.bytes[i]);
    memset(o->texture.level[i], 0xab, o->texture.bytes[i]);
  }
  return o;
}
METHOD(id, texture_view, NSUInteger format, NSUInteger type, NSRange levels, NSRange slices) {
  Texture* t = &self->texture;
  int planes = (t->type == 2 || t->type == 3) && (type == 2 || type == 3 || type == 5 || type == 6);
  if (format != t->format || (!planes && type != t->type) || levels.length == 0 || levels.location + levels.length > t->levels ||
      slices.location != 0 || slices.length != t->layers || (type == 2 && t->layers != 1) || (type == 5 && t->layers != 6) || (type == 6 && t->layers % 6 != 0)) {
    complain("a view of type %lu, levels %lu and %lu more, of type %lu with %lu layers and %lu levels", type, levels.location, levels.length, t->type, t->layers, t->levels);
    return NULL;
  }
  id o = make("MTLTexture");
  o->owner = retain(self);
  o->usage = self->usage;
  o->texture = *t;
  o->texture.type = type;
  o->texture.width = at_level(t->width, levels.location);
  o->texture.height = at_level(t->height, levels.location);
  o->texture.depth = at_level(t->depth, levels.location);
  o->texture.levels = levels.length;
  for (NSUInteger i = 0; i < levels.length; i++) {
    o->texture.level[i] = t->level[levels.location + i];
    o->texture.bytes[i] = t->bytes[levels.location + i];
  }
  return o;
}
METHOD(void, encoder_texture, id texture, NSUInteger index) {
  if (index >= 16 || strcmp(texture->class, "MTLTexture")) { complain("texture %lu is %s", index, texture->class); return; }
  hold(self->owner, texture);
  self->state.textures[index] = &texture->texture;
  if (index >= self->state.texture_count) { self->state.texture_count = index + 1; }
}
METHOD(id, sampler_descriptor) {
  id o = make("MTLSamplerDescriptor");
  o->sampler.highest = 3.4e38f;
  return o;
}
METHOD(void, set_s, NSUInteger x) { self->sampler.address[0] = x; }
METHOD(void, set_t, NSUInteger x) { self->sampler.address[1] = x; }
METHOD(void, set_r, NSUInteger x) { self->sampler.address[2] = x; }
METHOD(void, set_magnify, NSUInteger x) { self->sampler.magnify = x; }
METHOD(void, set_minify, NSUInteger x) { self->sampler.minify = x; }
METHOD(void, set_mip, NSUInteger x) { self->sampler.mip = x; }
METHOD(void, set_lowest, float x) { self->sampler.lowest = x; }
METHOD(void, set_highest, float x) { self->sampler.highest = x; }
METHOD(void, set_compare, NSUInteger x) { self->sampler.compares = 1; self->sampler.compare = x; }
static char last_sampler[200];
const char* shim_sampler(void) { return last_sampler; }
METHOD(id, device_sampler, id from) {
  Sampler* s = &from->sampler;
  sprintf(last_sampler, "addresses %lu %lu %lu, magnify %lu, minify %lu, mip %lu, levels %g to %g, compare %lu %lu", s->address[0], s->address[1],
    s->address[2], s->magnify, s->minify, s->mip, s->lowest, s->highest, s->compares, s->compare);
  id o = make("MTLSamplerState");
  o->sampler = from->sampler;
  return o;
}
METHOD(void, encoder_sampler, id sampler, NSUInteger index) {
  if (index >= 8 || strcmp(sampler->class, "MTLSamplerState")) { complain("sampler %lu is %s", index, sampler->class); return; }
  hold(self->owner, sampler);
  self->state.samplers[index] = &sampler->sampler;
  if (index >= self->state.sampler_count) { self->state.sampler_count = index + 1; }
}
static void level_command(id self, int copy, id buffer, NSUInteger offset, NSUInteger row, NSUInteger image, MTLSize size, id texture, NSUInteger slice, NSUInteger level, MTLSize origin) {
  Texture* t = &texture->texture;
  if (strcmp(texture->class, "MTLTexture") || strcmp(buffer->class, "MTLBuffer") || level >= t->levels || slice >= t->layers ||
      origin.width || origin.height || origin.depth || size.width != at_level(t->width, level) || size.height != at_level(t->height, level) ||
      size.depth != at_level(t->depth, level) || row < size.width * texel_bytes(t->format) || image < row * size.height ||
      offset % texel_bytes(t->format) || offset + image * size.depth > buffer->length) {
    complain("a copy of %lu x %lu x %lu at %lu, rows of %lu, slices of %lu, of slice %lu of level %lu", size.width, size.height, size.depth, offset, row, image, slice, level);
    return;
  }
  hold(self->owner, buffer);
  hold(self->owner, texture);
  Command* c = command(self);
  *c = (Command){.copy = copy, .from = buffer, .from_offset = offset, .texture = t, .slice = slice, .level = level, .row = row, .image = image, .size = size};
}
METHOD(void, encoder_to_texture, id buffer, NSUInteger offset, NSUInteger row, NSUInteger image, MTLSize size, id texture, NSUInteger slice, NSUInteger level, MTLSize origin) {
  level_command(self, 2, buffer, offset, row, image, size, texture, slice, level, origin);
}
METHOD(void, encoder_from_texture, id texture, NSUInteger slice, NSUInteger level, MTLSize origin, MTLSize size, id buffer, NSUInteger offset, NSUInteger row, NSUInteger image) {
  level_command(self, 3, buffer, offset, row, image, size, texture, slice, level, origin);
}
static void copy_level(Command* c) {
  NSUInteger line = c->size.width * texel_bytes(c->texture->format);
  for (NSUInteger z = 0; z < c->size.depth; z++) {
    for (NSUInteger y = 0; y < c->size.height; y++) {
      unsigned char* texels = c->texture->level[c->level] + ((c->slice + z) * c->size.height + y) * line;
      unsigned char* bytes = c->from->bytes + c->from_offset + z * c->image + y * c->row;
      if (c->copy == 2) { memcpy(texels, bytes, line); } else { memcpy(bytes, texels, line); }
    }
  }
}

METHOD(void, encoder_end) {
  if (self->ended) { complain("an encoder is ended twice"); }
  self->ended = 1;
  self->owner->open = 0;
}
METHOD(void, buffer_commit) {
  lock();
  if (self->open) { complain("a command buffer is committed whose encoder is open"); }
  if (self->status) { complain("a command buffer is committed twice"); }
  self->status = 2;
  id queue = self->owner;
  retain(self); // until it has completed
  if (queue->last) { queue->last->following = self; } else { queue->first = self; }
  queue->last = self;
  unlock();
}

// execute runs the first command buffer of a queue.
static void execute(id queue) {
  id b = queue->first;
  queue->first = b->following;
  if (!queue->first) { queue->last = NULL; }
  char text[1000] = "";
  int code = fail_next_code;
  fail_next_code = 0;
  for (int i = 0; i < b->command_count && !code; i++) {
    Command* c = &b->commands[i];
    if (c->copy == 4) { memset(c->to->bytes + c->to_offset, (int)c->row, c->bytes); continue; }
    if (c->copy > 1) { copy_level(c); continue; }
    if (c->copy) { memmove(c->to->bytes + c->to_offset, c->from->bytes + c->from_offset, c->bytes); continue; }
    int n = 1;
    while (i + n < b->command_count && !b->commands[i + n].copy) { n++; }
    if (runner) {
      Run* list = malloc(n * sizeof *list);
      for (int k = 0; k < n; k++) { list[k] = b->commands[i + k].run; }
      code = runner(list, n, text, sizeof text);
      free(list);
    }
    i += n - 1;
  }
  b->status = code ? 5 : 4;
  b->code = code;
  b->text = strdup(text[0] ? text : "it was made to fail");
  b->end = clock_now += 0.001;
  for (int i = 0; i < b->held_count; i++) { release(b->held[i]); }
  b->held_count = 0;
  b->following = NULL;
  release(b);
}
METHOD(void, buffer_wait) {
  lock();
  if (self->status < 2) { complain("a wait for a command buffer that is not committed"); }
  while (self->status == 2) { execute(self->owner); }
  unlock();
}
METHOD(NSUInteger, buffer_status) {
  lock();
  if (self->status == 2 && ++self->asked == 3) { buffer_wait(self, selector); }
  NSUInteger status = self->status;
  unlock();
  return status;
}
METHOD(id, buffer_error) {
  id error = NULL;
  if (self->status == 5) { set_error(&error, self->text, self->code); }
  return error;
}
METHOD(double, buffer_end) {
  if (self->status < 4) { complain("the end of what has none yet"); }
  return self->end;
}

// Archives of pipelines. What one holds is the text of a function's library, behind its name.
METHOD(id, process_info) { return autorelease(make("NSProcessInfo")); }
METHOD(id, process_version) { return string_of(system_version); }
METHOD(id, url_of, id path) {
  id o = string_of(path->text);
  o->class = "NSURL";
  return o;
}
METHOD(id, array_with, id o) {
  id array = make("NSArray");
  hold(array, o);
  return autorelease(array);
}
METHOD(id, archive_descriptor) { return make("MTLBinaryArchiveDescriptor"); }
METHOD(void, archive_url, id url) { self->owner = retain(url); }
METHOD(id, device_archive, id descriptor, id* error) {
  char text[20000] = "";
  if (strcmp(descriptor->class, "MTLBinaryArchiveDescriptor")) { complain("an archive by %s", descriptor->class); }
  if (descriptor->owner) {
    FILE* f = fopen(descriptor->owner->text, "rb");
    if (!f) { complain("there is no file %s", descriptor->owner->text); return NULL; }
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
  }
  if (archives_fail == 2 || (archives_fail == 3 && text[0])) { set_error(error, "no archive, as asked", 1); return NULL; }
  id o = make("MTLBinaryArchive");
  o->text = strdup(text);
  return o;
}
static char* held_text(id function) {
  char* text = malloc(strlen(function->text) + strlen(function->owner->text) + 20);
  sprintf(text, "archive of %s\n%s", function->text, function->owner->text);
  return text;
}
METHOD(signed char, archive_add, id descriptor, id* error) {
  if (archives_fail == 4) { set_error(error, "not added, as asked", 1); return 0; }
  compiled++;
  free(self->text);
  self->text = held_text(descriptor->owner);
  return 1;
}
METHOD(signed char, archive_serialize, id url, id* error) {
  if (strcmp(url->class, "NSURL")) { complain("an archive is written to %s", url->class); }
  if (archives_fail == 5) { set_error(error, "not written, as asked", 1); return 0; }
  FILE* f = fopen(url->text, "wb");
  if (!f) { set_error(error, "no file", 2); return 0; }
  fputs(self->text, f);
  fclose(f);
  return 1;
}
METHOD(id, pipeline_descriptor) { return make("MTLComputePipelineDescriptor"); }
METHOD(void, pipeline_function, id function) { self->owner = retain(function); }
METHOD(void, pipeline_archives, id archives) {
  for (; self->held_count; self->held_count--) { release(self->held[self->held_count - 1]); }
  hold(self, archives->held[0]);
}
METHOD(id, device_archived, id descriptor, NSUInteger options, id reflection, id* error) {
  if (options & ~4ul || reflection) { complain("a pipeline with options %lu", options); }
  char* text = held_text(descriptor->owner);
  int found = descriptor->held_count == 1 && strcmp(descriptor->held[0]->text, text) == 0 && !(archives_fail == 6 && options);
  free(text);
  if (!found && options) { set_error(error, "it is not in the archive", 3); return NULL; }
  id o = device_pipeline(self, selector, descriptor->owner, error);
  compiled -= found;
  return o;
}

static const struct { const char *class, *selector; void* method; } methods[] = {
  {"", "retain", object_retain}, {"", "release", object_release}, {"", "respondsToSelector:", object_responds},
  {"class NSString", "stringWithUTF8String:", string_with}, {"NSString", "UTF8String", string_text},
  {"NSArray", "count", array_count}, {"NSArray", "objectAtIndex:", array_at},
  {"NSError", "code", error_code}, {"NSError", "localizedDescription", error_text},
  {"MTLDevice", "name", device_name}, {"MTLDevice", "supportsFamily:", device_family},
  {"MTLDevice", "recommendedMaxWorkingSetSize", device_memory}, {"MTLDevice", "maxThreadgroupMemoryLength", device_threadgroup},
  {"MTLDevice", "maxBufferLength", device_buffer}, {"MTLDevice", "newCommandQueue", device_queue},
  {"MTLDevice", "newBufferWithLength:options:", device_new_buffer}, {"MTLDevice", "newBufferWithBytes:length:options:", device_new_buffer_with},
  {"MTLDevice", "newBufferWithBytesNoCopy:length:options:deallocator:", device_new_buffer_over},
  {"MTLDevice", "newLibraryWithSource:options:error:", device_library},
  {"MTLDevice", "newComputePipelineStateWithFunction:error:", device_pipeline},
  {"class NSProcessInfo", "processInfo", process_info}, {"NSProcessInfo", "operatingSystemVersionString", process_version},
  {"class NSURL", "fileURLWithPath:", url_of}, {"class NSArray", "arrayWithObject:", array_with},
  {"class MTLBinaryArchiveDescriptor", "new", archive_descriptor}, {"MTLBinaryArchiveDescriptor", "setUrl:", archive_url},
  {"MTLDevice", "newBinaryArchiveWithDescriptor:error:", device_archive},
  {"MTLBinaryArchive", "addComputePipelineFunctionsWithDescriptor:error:", archive_add},
  {"MTLBinaryArchive", "serializeToURL:error:", archive_serialize},
  {"class MTLComputePipelineDescriptor", "new", pipeline_descriptor},
  {"MTLComputePipelineDescriptor", "setComputeFunction:", pipeline_function},
  {"MTLComputePipelineDescriptor", "setBinaryArchives:", pipeline_archives},
  {"MTLDevice", "newComputePipelineStateWithDescriptor:options:reflection:error:", device_archived},
  {"MTLBuffer", "contents", buffer_contents}, {"class MTLCompileOptions", "new", options_new},
  {"MTLCompileOptions", "setLanguageVersion:", options_language}, {"MTLCompileOptions", "setFastMathEnabled:", options_fast},
  {"MTLCompileOptions", "setMathMode:", options_mode}, {"MTLLibrary", "newFunctionWithName:", library_function},
  {"MTLComputePipelineState", "maxTotalThreadsPerThreadgroup", pipeline_threads},
  {"MTLComputePipelineState", "threadExecutionWidth", pipeline_width},
  {"MTLCommandQueue", "commandBuffer", queue_buffer}, {"MTLCommandBuffer", "computeCommandEncoder", buffer_compute},
  {"MTLCommandBuffer", "blitCommandEncoder", buffer_blit}, {"MTLCommandBuffer", "commit", buffer_commit},
  {"MTLCommandBuffer", "waitUntilCompleted", buffer_wait}, {"MTLCommandBuffer", "status", buffer_status},
  {"MTLCommandBuffer", "error", buffer_error}, {"MTLCommandBuffer", "GPUEndTime", buffer_end},
  {"MTLComputeCommandEncoder", "setComputePipelineState:", encoder_pipeline},
  {"MTLComputeCommandEncoder", "setBuffer:offset:atIndex:", encoder_buffer},
  {"MTLComputeCommandEncoder", "setBytes:length:atIndex:", encoder_bytes},
  {"MTLComputeCommandEncoder", "setThreadgroupMemoryLength:atIndex:", encoder_threadgroup},
  {"MTLComputeCommandEncoder", "dispatchThreadgroups:threadsPerThreadgroup:", encoder_dispatch},
  {"MTLComputeCommandEncoder", "endEncoding", encoder_end}, {"MTLBlitCommandEncoder", "endEncoding", encoder_end},
  {"class MTLTextureDescriptor", "new", texture_descriptor}, {"class MTLSamplerDescriptor", "new", sampler_descriptor},
  {"MTLTextureDescriptor", "setTextureType:", set_type}, {"MTLTextureDescriptor", "setPixelFormat:", set_format},
  {"MTLTextureDescriptor", "setWidth:", set_width}, {"MTLTextureDescriptor", "setHeight:", set_height},
  {"MTLTextureDescriptor", "setDepth:", set_depth}, {"MTLTextureDescriptor", "setArrayLength:", set_layers},
  {"MTLTextureDescriptor", "setMipmapLevelCount:", set_levels}, {"MTLTextureDescriptor", "setStorageMode:", set_storage},
  {"MTLTextureDescriptor", "setUsage:", set_usage}, {"MTLDevice", "newTextureWithDescriptor:", device_texture},
  {"MTLTexture", "newTextureViewWithPixelFormat:textureType:levels:slices:", texture_view},
  {"MTLSamplerDescriptor", "setSAddressMode:", set_s}, {"MTLSamplerDescriptor", "setTAddressMode:", set_t},
  {"MTLSamplerDescriptor", "setRAddressMode:", set_r}, {"MTLSamplerDescriptor", "setMagFilter:", set_magnify},
  {"MTLSamplerDescriptor", "setMinFilter:", set_minify}, {"MTLSamplerDescriptor", "setMipFilter:", set_mip},
  {"MTLSamplerDescriptor", "setLodMinClamp:", set_lowest}, {"MTLSamplerDescriptor", "setLodMaxClamp:", set_highest},
  {"MTLSamplerDescriptor", "setCompareFunction:", set_compare}, {"MTLDevice", "newSamplerStateWithDescriptor:", device_sampler},
  {"MTLComputeCommandEncoder", "setTexture:atIndex:", encoder_texture},
  {"MTLComputeCommandEncoder", "setSamplerState:atIndex:", encoder_sampler},
  {"MTLBlitCommandEncoder", "copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:", encoder_to_texture},
  {"MTLBlitCommandEncoder", "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:", encoder_from_texture},
  {"MTLBlitCommandEncoder", "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", encoder_copy},
  {"MTLBlitCommandEncoder", "fillBuffer:range:value:", encoder_fill},
};

static unsigned long sent[sizeof methods / sizeof *methods]; // how often each was found

static long nothing(void) { return 0; }

// shim_find returns the method of a message. One to nil has the result 0 (Objective-C, "Working with nil").
__attribute__((visibility("default"))) void* shim_find(id o, SEL selector) {
  if (!o) { return nothing; }
  if (o->references <= 0) { complain("%s is sent to a %s that is gone", selector, o->class); return nothing; }
  for (unsigned long i = 0; i < sizeof methods / sizeof *methods; i++) {
    if ((methods[i].class[0] == 0 || strcmp(methods[i].class, o->class) == 0) && strcmp(methods[i].selector, selector) == 0) {
      __atomic_add_fetch(&sent[i], 1, __ATOMIC_RELAXED);
      return methods[i].method;
    }
  }
  complain("%s does not understand %s", o->class, selector);
  return nothing;
}

// objc_msgSend keeps the six registers of arguments while it looks the method up, and jumps to it.
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend,@function\nobjc_msgSend:\n"
  "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\nsubq $24, %rsp\nmovsd %xmm0, 8(%rsp)\n"
  "call shim_find@PLT\nmovq %rax, %r11\n"
  "movsd 8(%rsp), %xmm0\naddq $24, %rsp\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\njmp *%r11\n");

// What tests ask.
void shim_set(int (*run)(Run*, int, char*, int), int fail, int without_math_mode, int refuse, int small) {
  lock();
  runner = run; fail_next_code = fail; no_math_mode = without_math_mode; refuse_buffers = refuse; small_pipelines = small;
  unlock();
}
// shim_archives names the system's version, and what fails: 1 there are no archives, 2 making one,
// 3 making one of a file, 4 adding to one, 5 writing one, 6 finding a pipeline in one. It returns
// how many pipelines were compiled since its last call.
int shim_archives(int fail, const char* version) {
  lock();
  int n = compiled;
  compiled = 0; archives_fail = fail;
  snprintf(system_version, sizeof system_version, "%s", version);
  unlock();
  return n;
}
const char* shim_complaints(void) { return complaints; }
void shim_forgive(void) { lock(); complaints[0] = 0; unlock(); }

// shim_live lists the classes of objects that live, but for devices.
const char* shim_live(void) {
  static char text[2000];
  text[0] = 0;
  lock();
  for (id o = objects; o; o = o->next) {
    if (o->references > 0 && strcmp(o->class, "MTLDevice") && strcmp(o->class, "NSArray") && strlen(text) < 1900) {
      sprintf(text + strlen(text), "%s (%ld) ", o->class, o->references);
    }
  }
  unlock();
  return text;
}

// shim_unsent lists the methods that were never sent.
const char* shim_unsent(void) {
  static char text[4000];
  text[0] = 0;
  for (unsigned long i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (!sent[i]) { sprintf(text + strlen(text), "%s ", methods[i].selector); }
  }
  return text;
}
