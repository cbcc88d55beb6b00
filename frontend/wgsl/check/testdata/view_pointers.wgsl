// Pointer types that only views could have, in a program without buffers of their
// address spaces (WGSL §6.5.3).
requires buffer_view;

struct Tail {
  n: u32,
  rest: array<u32>,
}

@group(0) @binding(0) var<storage, read_write> page: buffer;

alias words = ptr<workgroup, array<u32>>; // want "a pointer to array<u32> in address space workgroup comes from a buffer alone, and the program has no buffer there [invalid-type]"
fn tail(p: ptr<uniform, Tail>) {} // want "a pointer to Tail in address space uniform comes from a buffer alone, and the program has no buffer there [invalid-type]"
fn bytes(p: ptr<workgroup, buffer>) {} // want "a pointer to buffer in address space workgroup comes from a buffer alone, and the program has no buffer there [invalid-type]"
fn stored(p: ptr<storage, buffer>, q: ptr<storage, Tail>) {}
