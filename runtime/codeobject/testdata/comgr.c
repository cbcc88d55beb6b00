// This library stands in for AMD's code object manager in the versions that the machine does not have. It makes no code: what
// it "links" is the head of a code object. It judges that actions have the numbers of its version, that they come in their
// order with what they need, and that all is given back.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t handle; } Handle; // data, sets and descriptions of actions, by value

enum { data = 1, set, info };
typedef struct { int what, kind, references; char* bytes; size_t size; char name[100]; int held[10], count; char isa[100], options[200]; int log; } Object;

static Object objects[100];
static int made;
static char complaints[2000];
static size_t major_version = 3;
static int failing; // the action that fails, counted from 1
static int nothing; // actions make nothing
static int acted;

static void complain(const char* format, ...) {
  char line[300];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (strlen(complaints) + strlen(line) + 2 < sizeof complaints) { strcat(strcat(complaints, line), "\n"); }
}

static Object* object(Handle h, int what) {
  static Object none;
  if (h.handle < 1 || h.handle > (uint64_t)made || objects[h.handle - 1].what != what || objects[h.handle - 1].references <= 0) {
    complain("%d is no handle of kind %d", (int)h.handle, what);
    return &none;
  }
  return &objects[h.handle - 1];
}

static Handle make(int what) {
  objects[made] = (Object){.what = what, .references = 1};
  return (Handle){++made};
}

static int drop(Handle h, int what) {
  Object* o = object(h, what);
  if (--o->references == 0) { for (int n = 0; n < o->count; n++) { objects[o->held[n]].references--; } }
  return 0;
}

static void put(Object* to, int kind, const char* bytes, size_t size) {
  int at = (int)make(data).handle - 1;
  objects[at].kind = kind;
  objects[at].bytes = memcpy(malloc(size + 1), bytes, size);
  objects[at].size = size;
  to->held[to->count++] = at;
}

void amd_comgr_get_version(size_t* major, size_t* minor) { *major = major_version; *minor = 1; }
int amd_comgr_status_string(int status, const char** text) { *text = status == 2 ? "INVALID_ARGUMENT" : "ERROR"; return 0; }
int amd_comgr_create_data(int kind, Handle* to) { *to = make(data); objects[made - 1].kind = kind; return 0; }
int amd_comgr_release_data(Handle d) { return drop(d, data); }
int amd_comgr_set_data(Handle d, size_t size, const char* bytes) {
  Object* o = object(d, data);
  o->bytes = memcpy(malloc(size), bytes, size);
  o->size = size;
  return 0;
}
int amd_comgr_set_data_name(Handle d, const char* name) { snprintf(object(d, data)->name, 100, "%s", name); return 0; }
int amd_comgr_get_data(Handle d, size_t* size, char* bytes) {
  Object* o = object(d, data);
  if (bytes && *size != o->size) { complain("%d bytes of %d are asked for", (int)*size, (int)o->size); return 2; }
  if (bytes) { memcpy(bytes, o->bytes, o->size); }
  *size = o->size;
  return 0;
}
int amd_comgr_create_data_set(Handle* to) { *to = make(set); return 0; }
int amd_comgr_destroy_data_set(Handle s) { return drop(s, set); }
int amd_comgr_data_set_add(Handle s, Handle d) {
  Object* o = object(s, set);
  object(d, data)->references++;
  o->held[o->count++] = (int)d.handle - 1;
  return 0;
}
int amd_comgr_create_action_info(Handle* to) { *to = make(info); return 0; }
int amd_comgr_destroy_action_info(Handle i) { return drop(i, info); }
int amd_comgr_action_info_set_isa_name(Handle i, const char* name) {
  if (strcmp(name, "amdgcn-amd-amdhsa--gfx1100")) { return 2; }
  strcpy(object(i, info)->isa, name);
  return 0;
}
int amd_comgr_action_info_set_option_list(Handle i, const char* list[], size_t count) {
  Object* o = object(i, info);
  o->options[0] = 0;
  for (size_t n = 0; n < count; n++) { strcat(strcat(o->options, list[n]), " "); }
  return 0;
}
int amd_comgr_action_info_set_logging(Handle i, _Bool on) { object(i, info)->log = on; return 0; }

int amd_comgr_do_action(int action, Handle i, Handle from, Handle to) {
  Object *description = object(i, info), *input = object(from, set), *result = object(to, set);
  int generate = major_version == 2 ? 6 : 4, link = major_version == 2 ? 9 : 7;
  acted++;
  if (!description->isa[0] || !description->log) { complain("an action without a processor or a log"); }
  if (acted == failing) { put(result, 5, "error: as asked\n", 16); return 1; }
  if (nothing) { return 0; }
  if (input->count != 1) { complain("an action with %d inputs", input->count); return 1; }
  Object* first = &objects[input->held[0]];
  if (action == generate && first->kind == 6) {
    if (strcmp(first->name, "kernel.ll") || strcmp(description->options, "-O3 -mcode-object-version=5 ")) { complain("%s is generated with %s", first->name, description->options); }
    put(result, 7, first->bytes, first->size);
  } else if (action == link && first->kind == 7) {
    if (description->options[0]) { complain("linked with %s", description->options); }
    static char head[64] = "\x7f" "ELF";
    head[8] = 3; head[18] = (char)224;
    put(result, 8, head, sizeof head);
  } else {
    complain("action %d of data of kind %d", action, first->kind);
    return 2;
  }
  return 0;
}
int amd_comgr_action_data_count(Handle s, int kind, size_t* count) {
  Object* o = object(s, set);
  *count = 0;
  for (int n = 0; n < o->count; n++) { *count += objects[o->held[n]].kind == kind; }
  return 0;
}
int amd_comgr_action_data_get_data(Handle s, int kind, size_t index, Handle* to) {
  Object* o = object(s, set);
  for (int n = 0; n < o->count; n++) {
    if (objects[o->held[n]].kind == kind && index-- == 0) { objects[o->held[n]].references++; to->handle = o->held[n] + 1; return 0; }
  }
  return 2;
}

// What tests ask. The complaints are with what was not given back.
void comgr_set(int major, int fail, int none) { major_version = major; failing = fail; nothing = none; acted = 0; }
const char* comgr_complaints(void) {
  for (int n = 0; n < made; n++) { if (objects[n].references) { complain("%d references to an object of kind %d are left", objects[n].references, objects[n].what); } }
  made = 0;
  return complaints;
}
