// This file reads what the notes of a code object say of its kernels: a map of MessagePack (User Guide for AMDGPU Backend,
// "Code Object V5 Metadata"). It trusts the linker that wrote them.
#pragma once
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct { unsigned offset, size, address; } Argument;
typedef struct { char name[200]; unsigned count, most, segment, wave; Argument list[64]; } Kernel;
typedef struct { int count; Kernel list[8]; } Kernels;

typedef struct { const unsigned char* at; } Pack;
static uint64_t number(Pack* p, int bytes) { uint64_t x = 0; while (bytes--) { x = x << 8 | *p->at++; } return x; }
// item reads the head of a value: its type (n umber, s tring, a rray, m ap) and its number, length or count.
static char item(Pack* p, uint64_t* n) {
  unsigned char c = *p->at++;
  *n = c;
  if (c < 0x80) { return 'n'; }
  if (c < 0x90) { *n = c & 15; return 'm'; }
  if (c < 0xa0) { *n = c & 15; return 'a'; }
  if (c < 0xc0) { *n = c & 31; return 's'; }
  switch (c) {
  case 0xcc: case 0xcd: case 0xce: case 0xcf: *n = number(p, 1 << (c - 0xcc)); return 'n';
  case 0xd9: case 0xda: case 0xdb: *n = number(p, 1 << (c - 0xd9)); return 's';
  case 0xdc: case 0xdd: *n = number(p, 2 << (c - 0xdc)); return 'a';
  case 0xde: case 0xdf: *n = number(p, 2 << (c - 0xde)); return 'm';
  }
  *n = c & 1; // false and true, and what no note has
  return 'n';
}
static void skip(Pack* p) {
  uint64_t n;
  switch (item(p, &n)) {
  case 's': p->at += n; break;
  case 'm': n *= 2; // fall through
  case 'a': while (n--) { skip(p); } break;
  }
}
static char* string(Pack* p, char* to, size_t room) {
  uint64_t n;
  to[0] = 0;
  if (item(p, &n) == 's') { snprintf(to, room, "%.*s", (int)n, p->at); p->at += n; }
  return to;
}
static unsigned integer(Pack* p) { uint64_t n; item(p, &n); return (unsigned)n; }

static void read_arguments(Pack* p, Kernel* k) {
  uint64_t count, keys;
  char key[100], value[100];
  for (item(p, &count); count--;) {
    Argument a = {0};
    int hidden = 0;
    for (item(p, &keys); keys--;) {
      string(p, key, sizeof key);
      if (strcmp(key, ".offset") == 0) { a.offset = integer(p); }
      else if (strcmp(key, ".size") == 0) { a.size = integer(p); }
      else if (strcmp(key, ".value_kind") == 0) { string(p, value, sizeof value); hidden = strncmp(value, "hidden", 6) == 0; a.address = strcmp(value, "global_buffer") == 0; }
      else { skip(p); }
    }
    if (!hidden && k->count < 64) { k->list[k->count++] = a; }
  }
}
static void read_kernels(Pack* p, Kernels* m) {
  uint64_t count, keys;
  char key[100], symbol[210];
  for (item(p, &count); count-- && m->count < 8;) {
    Kernel* k = &m->list[m->count++];
    symbol[0] = 0;
    for (item(p, &keys); keys--;) {
      string(p, key, sizeof key);
      if (strcmp(key, ".args") == 0) { read_arguments(p, k); }
      else if (strcmp(key, ".name") == 0) { string(p, k->name, sizeof k->name); }
      else if (strcmp(key, ".symbol") == 0) { string(p, symbol, sizeof symbol); }
      else if (strcmp(key, ".max_flat_workgroup_size") == 0) { k->most = integer(p); }
      else if (strcmp(key, ".kernarg_segment_size") == 0) { k->segment = integer(p); }
      else if (strcmp(key, ".wavefront_size") == 0) { k->wave = integer(p); }
      else { skip(p); }
    }
    if (strncmp(symbol, k->name, strlen(k->name)) || strcmp(symbol + strlen(k->name), ".kd")) { k->name[0] = 0; } // which nothing finds
  }
}
// read_notes reads the kernels of an object in its notes, and the target that it is for.
static void read_notes(const unsigned char* image, Kernels* m, char* target) {
  const Elf64_Ehdr* head = (const Elf64_Ehdr*)image;
  const Elf64_Phdr* parts = (const Elf64_Phdr*)(image + head->e_phoff);
  char key[100];
  for (int n = 0; n < head->e_phnum; n++) {
    const Elf64_Nhdr* note = (const Elf64_Nhdr*)(image + parts[n].p_offset);
    if (parts[n].p_type != PT_NOTE || note->n_type != 32 || strcmp((const char*)(note + 1), "AMDGPU")) { continue; }
    Pack p = {(const unsigned char*)(note + 1) + (note->n_namesz + 3) / 4 * 4};
    uint64_t keys;
    for (item(&p, &keys); keys--;) {
      string(&p, key, sizeof key);
      if (strcmp(key, "amdhsa.kernels") == 0) { read_kernels(&p, m); }
      else if (strcmp(key, "amdhsa.target") == 0) { string(&p, target, 100); }
      else { skip(&p); }
    }
  }
}
