// Variables in address space immediate (WGSL §7.3).
requires immediate_address_space;
struct Plain { a: u32, m: mat2x2f, n: vec3i }
struct Holds { a: array<vec4f, 2> }
struct Deep { h: Holds }
struct Large { a: mat4x4f, b: f32 }
var<immediate> scalar: f32;
var<immediate> plain: Plain; // want "the entry point `two` uses two variables in address space immediate, and one is allowed [invalid-entry-point]"
var<immediate,> comma: u32;
var<immediate> large: Large; // want "`large` takes 80 bytes of immediates, and every device supports 64 [limit-exceeded]"
var<immediate, read> mode: u32; // want "an access mode can be written for address space storage only [invalid-declaration]"
var<immediate> initialised = 1u; // want "a variable in address space immediate has no initial value [invalid-declaration]"
@group(0) @binding(0) var<immediate> bound: u32; // want "@group and @binding belong to resources"
var<immediate> bool_: bool; // want "address space immediate needs a type that can be shared with the host, without bool, atomics and arrays, found bool [invalid-type]"
var<immediate> atomic_: atomic<u32>; // want "address space immediate needs a type"
var<immediate> array_: array<u32, 4>; // want "address space immediate needs a type"
var<immediate> runtime: array<u32>; // want "address space immediate needs a type"
var<immediate> holds: Holds; // want "address space immediate needs a type"
var<immediate> deep: Deep; // want "address space immediate needs a type"
alias Pointer = ptr<immediate, Plain>;
alias Moded = ptr<immediate, u32, read>; // want "an access mode can be written for address space storage only [invalid-type]"
alias OfArray = ptr<immediate, array<u32, 2>>; // want "address space immediate needs a type"

fn through(p: Pointer, i: u32) -> f32 { return (*p).m[i][0] + f32((*p).n[i]); }
fn helper() -> f32 { return scalar; }
@compute @workgroup_size(1) fn one() { _ = through(&plain, 1); }
@compute @workgroup_size(1) fn another() {
  if scalar > 0 { workgroupBarrier(); } // the same in all invocations
}
@compute @workgroup_size(1) fn two() { _ = plain.a; _ = helper(); }
@compute @workgroup_size(1) fn writes() {
  plain.a = 1; // want "memory in address space immediate cannot be written here [invalid-access]"
  let p = &plain.m;
  (*p)[0] = vec2f(); // want "memory in address space immediate cannot be written here [invalid-access]"
  var<immediate> local: u32; // want "variables in address space immediate are declared at module scope [invalid-declaration]"
}
@compute @workgroup_size(1) fn too_large() { _ = large.b; }
