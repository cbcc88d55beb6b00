// Types (WGSL §6): forming them and where each may be used.
enable f16;

struct Inner { a: vec3f, b: f32 }
struct Outer { a: Inner, b: array<Inner, 3>, c: mat3x3h, d: array<u32> }
@group(0) @binding(0) var<storage, read_write> outer: Outer;
alias A1 = array<i32, 4>;
alias A2 = array<A1, 2u>;
alias A3 = array<i32, A2()[0][1] + 5>;
const_assert A3()[4] == 0;

var<private> p1: vec3<Inner>; // want "the components of a vector are scalars, found Inner [invalid-type]"
var<private> p2: vec3<array<f32, 2>>; // want "the components of a vector are scalars, found array<f32, 2> [invalid-type]"
var<private> p3: mat2x2<i32>; // want "the components of a matrix are f32 or f16, found i32 [invalid-type]"
var<private> p4: array<i32, 0>; // want "an array has at least one element, found a count of 0 [invalid-type]"
var<private> p5: array<i32, -1>; // want "an array has at least one element, found a count of -1 [invalid-type]"
var<private> p6: array<i32, 1.5>; // want "the number of elements is an i32 or u32, found abstract-float [invalid-type]"
var<private> p7: array<array<i32>, 2>; // want "the elements of an array need a plain type of known size, found array<i32> [invalid-type]"
var<private> p8: atomic<f32>; // want "an atomic holds i32 or u32, found f32 [invalid-type]"
var<private> p9: vec3; // want "`vec3` needs template arguments here: a component type, such as <f32> [invalid-type]"
var<private> p10: vec3f<f32>; // want "`vec3f` takes no template arguments; it is an alias with a component type of its own [invalid-type]"
var<private> p11: f32<f32>; // want "`f32` takes no template arguments [invalid-type]"
var<private> p12: array<i32, 1, 2>; // want "`array` takes 1 or 2 template arguments, found 3 [invalid-type]"
var<private> p14: array; // want "`array` needs template arguments here: an element type and a count, such as <f32, 4> [invalid-type]"
var<private> p15: ptr<private, i32>; // want "address space private needs a type that can be in memory, found ptr<private, i32> [invalid-type]"
var<private> p16: atomic<u32>; // want "address space private needs a type whose values can be made, without atomics and runtime-sized arrays, found atomic<u32> [invalid-type]"
var<private> p17: array<i32>; // want "address space private needs a type whose values can be made, without atomics and runtime-sized arrays, found array<i32> [invalid-type]"
var<private> p18: array<i32, p17[0]>; // want "the number of elements must be a const- or override-expression [not-constant]"
var<private> p19: array<vec4f, 0x7fffffff>; // want "the array is larger than 4 GiB [limit-exceeded]"
struct Large { a: array<u32, 0x30000000>, b: array<u32, 0xfffffff>, } // 2^32 - 4 bytes
struct TooLarge { a: array<u32, 0x30000000>, b: array<u32, 0x10000000>, } // want "the structure is larger than 4 GiB [limit-exceeded]"
struct FarMember { @size(0x7ffffff0) a: u32, @size(0x7ffffff0) b: u32, c: array<u32, 8>, } // want "the structure is larger than 4 GiB [limit-exceeded]"
@group(1) @binding(0) var<storage> large: Large;
@group(1) @binding(1) var<storage> many: array<Large, 2>; // want "the array is larger than 4 GiB [limit-exceeded]"
var<workgroup> w1: array<atomic<u32>, 4>;
var<workgroup> w2: array<u32>; // want "address space workgroup needs a plain type of fixed size, found array<u32> [invalid-type]"
@group(0) @binding(1) var<storage> s1: array<bool>; // want "address space storage needs a type that can be shared with the host, which bool, pointers and textures cannot, found array<bool> [invalid-type]"
@group(0) @binding(2) var<storage> s2: atomic<u32>; // want "address space storage needs access mode read_write, because the type holds an atomic; the type, found atomic<u32> [invalid-type]"
@group(0) @binding(3) var<storage, write> s3: u32; // want "storage memory is accessed with read or read_write [invalid-declaration]"
@group(0) @binding(4) var<uniform, read> u1: vec4f; // want "an access mode can be written for address space storage only [invalid-declaration]"
@group(0) @binding(5) var<uniform> u2: array<vec4f>; // want "address space uniform needs a type that can be shared with the host, without bool, atomics and runtime-sized arrays, found array<vec4<f32>> [invalid-type]"
@group(0) @binding(6) var<private> t1: texture_2d<f32>; // want "@group and @binding belong to resources: variables in storage and uniform memory, textures and samplers [invalid-attribute]" "address space private needs a type whose values can be made, without atomics and runtime-sized arrays (textures and samplers are declared with `var` alone), found texture_2d<f32> [invalid-type]"
@group(0) @binding(7) var t2: texture_2d<bool>; // want "a texture is sampled as f32, i32 or u32, found bool [invalid-type]"
@group(0) @binding(8) var t3: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(9) var t4: texture_storage_2d<rgba8>; // want "`texture_storage_2d` takes 2 template arguments, found 1 [invalid-type]"
@group(0) @binding(10) var t5: texture_storage_2d<rgba9, write>; // want "expected a texel format, such as rgba8unorm [invalid-type]"
@group(0) @binding(11) var t6: texture_depth_2d<f32>; // want "`texture_depth_2d` takes no template arguments [invalid-type]"
struct Bad { a: array<i32>, b: i32 } // want "only the last member of a structure can be a runtime-sized array, and no structure with one can be a member [invalid-type]"
struct Bad2 { a: texture_2d<f32> } // want "a member cannot be of type texture_2d<f32> [invalid-type]"
struct Bad3 { a: Outer } // want "only the last member of a structure can be a runtime-sized array, and no structure with one can be a member [invalid-type]"
override count = 4;
var<workgroup> w3: array<u32, count>;
var<workgroup> w4: array<u32, count * 2>;
var<private> p20: array<u32, count>; // want "address space private needs a type whose values can be made, without atomics and runtime-sized arrays, found array<u32, count> [invalid-type]"
struct Bad4 { a: array<u32, count> } // want "the size of a member must be a constant, found array<u32, count> [invalid-type]"
fn f(a: ptr<function, i32>, b: texture_2d<f32>, c: sampler) {}
fn g(a: atomic<u32>) {} // want "a parameter cannot be of type atomic<u32> [invalid-type]"
fn h() -> ptr<function, i32> {} // want "a function cannot return ptr<function, i32> [invalid-type]"
fn i(a: ptr<storage, i32, write>) {} // want "storage memory is accessed with read or read_write [invalid-type]"
fn j(a: ptr<handle, i32>) {} // want "expected an address space: function, private, workgroup, uniform, storage or immediate [invalid-type]"
fn k(a: ptr<private, i32, read>) {} // want "an access mode can be written for address space storage only [invalid-type]"
