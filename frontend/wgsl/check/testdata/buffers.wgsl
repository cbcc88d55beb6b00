// Buffers (WGSL §6.3), whose sizes are multiples of 4 here; views.wgsl looks into them.
requires buffer_view;
override bytes: u32 = 64;
override signed_bytes = 64i;
const granule = 16;
alias Page = buffer<granule * 4>;
struct Tail { head: vec3f, rest: array<vec2u> }

// variables
@group(0) @binding(0) var<storage> in: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer;
@group(0) @binding(2) var<storage, read_write> page: Page;
@group(0) @binding(3) var<uniform> fixed: buffer<64u>;
var<workgroup> shared_bytes: buffer<256>;
var<workgroup> chosen: buffer<bytes>;
var<workgroup> chosen_signed: buffer<signed_bytes>;
var<workgroup> computed: buffer<bytes * 2>;
@group(1) @binding(0) var<uniform> endless_bytes: buffer; // want "address space uniform needs a buffer of known size, such as buffer<64>, found buffer [invalid-type]"
var<workgroup> endless_shared: buffer; // want "address space workgroup needs a buffer of known size, such as buffer<64>, found buffer [invalid-type]"
@group(1) @binding(1) var<uniform> by_override: buffer<bytes>; // want "address space uniform needs a buffer whose size is a constant, found buffer<bytes> [invalid-type]"
@group(1) @binding(2) var<storage> storage_override: buffer<bytes + 4>; // want "address space storage needs a buffer whose size is a constant, found buffer<override-expression> [invalid-type]"
var<private> own: buffer<64>; // want "address space private needs a type other than a buffer (buffers are in storage, uniform and workgroup memory), found buffer<64> [invalid-type]"
var<immediate> pushed: buffer<64>; // want "address space immediate needs a type other than a buffer (buffers are in storage, uniform and workgroup memory), found buffer<64> [invalid-type]"
var nowhere: buffer<64>; // want "a variable at module scope needs an address space: var<storage> nowhere [invalid-declaration]"
@group(1) @binding(3) var<storage> filled: buffer = 0; // want "cannot initialize a declaration of type buffer: the value is abstract-int [type-mismatch]" "a variable in address space storage has no initial value [invalid-declaration]"

// sizes
alias Empty = buffer<0>; // want "the size of a buffer is a number of bytes, greater than 0 and a multiple of 4, found 0 [invalid-type]"
alias Negative = buffer<-4>; // want "greater than 0 and a multiple of 4, found -4 [invalid-type]"
alias Odd = buffer<6>; // want "greater than 0 and a multiple of 4, found 6 [invalid-type]"
alias Real = buffer<4.0>; // want "the size of a buffer is an i32 or u32, found abstract-float [invalid-type]"
alias Two = buffer<4, 4>; // want "`buffer` takes 1 template arguments, found 2 [invalid-type]"
alias OfType = buffer<u32>; // want "`u32` is a type, and a value is needed here [not-a-value]"
alias Unknown = buffer<missing>; // want "there is no value named `missing` [unknown-name]"

// no part of anything
struct Holds { b: buffer<64> } // want "a member cannot be of type buffer<64> [invalid-type]"
alias Several = array<buffer<64>, 2>; // want "the elements of an array need a plain type of known size, found buffer<64> [invalid-type]"
alias Atomic = atomic<buffer>; // want "an atomic holds i32 or u32, found buffer [invalid-type]"
const value = buffer<64>(); // want "values of type buffer<64> cannot be made [invalid-type]"
fn by_value(b: buffer<64>) {} // want "a parameter cannot be of type buffer<64> [invalid-type]"
fn returned() -> buffer { } // want "a function cannot return buffer [invalid-type]"
fn no_values(n: u32) {
  let a = in; // want "a buffer has no value [not-a-value]"
  var b = page; // want "a buffer has no value [not-a-value]"
  var c: buffer<64>; // want "address space function needs a type other than a buffer (buffers are in storage, uniform and workgroup memory), found buffer<64> [invalid-type]"
  _ = in; // want "a buffer has no value [not-a-value]"
  _ = (page); // want "a buffer has no value [not-a-value]"
  page = page; // want "memory of type buffer<64> cannot be assigned to [not-assignable]" "a buffer has no value [not-a-value]"
  let d = page[n]; // want "a buffer has no value [not-a-value]"
  let e = in.x; // want "a buffer has no value [not-a-value]"
  let p = &in;
  let f = p[0]; // want "a buffer has no value [not-a-value]"
  let g = *p; // want "a buffer has no value [not-a-value]"
  let h = page + page; // want "a buffer has no value [not-a-value]" "a buffer has no value [not-a-value]"
  let i = bufferLength(in); // want "a buffer has no value [not-a-value]"
  _ = p;
  _ = &page;
  _ = &*&out;
}

// pointer types
fn pointers(a: ptr<storage, buffer>, b: ptr<storage, buffer<64>, read_write>, c: ptr<uniform, buffer>, d: ptr<uniform, buffer<64>>,
  e: ptr<workgroup, buffer>, f: ptr<workgroup, buffer<bytes>>,
  g: ptr<private, buffer>, // want "address space private needs a type other than a buffer"
  h: ptr<uniform, buffer<bytes>>, // want "address space uniform needs a buffer whose size is a constant, found buffer<bytes> [invalid-type]"
  i: ptr<uniform, array<f32>>, j: ptr<workgroup, array<vec4u>>, k: ptr<workgroup, Tail>, l: ptr<uniform, Tail>,
  m: ptr<workgroup, array<atomic<u32>>>, // want "address space workgroup needs a plain type of fixed size, found array<atomic<u32>> [invalid-type]"
  n: ptr<uniform, array<atomic<u32>>>, // want "address space uniform needs a type that can be shared with the host, without bool, atomics and runtime-sized arrays, found array<atomic<u32>> [invalid-type]"
  o: ptr<function, array<f32>>, // want "address space function needs a type whose values can be made, without atomics and runtime-sized arrays, found array<f32> [invalid-type]"
  p: ptr<workgroup, array<bool>>) { // want "address space workgroup needs a plain type of fixed size, found array<bool> [invalid-type]"
  let x: ptr<workgroup, buffer<bytes>> = &chosen;
  let y: ptr<workgroup, buffer<bytes>> = &computed; // want "cannot initialize a declaration of type ptr<workgroup, buffer<bytes>>: the value is ptr<workgroup, buffer<override-expression>> [type-mismatch]"
  let z: ptr<storage, buffer> = &in;
}
var<workgroup> endless: array<f32>; // want "address space workgroup needs a plain type of fixed size, found array<f32> [invalid-type]"
@group(1) @binding(4) var<uniform> endless_uniform: Tail; // want "address space uniform needs a type that can be shared with the host"

// calls
fn takes(p: ptr<storage, buffer, read_write>) -> u32 { return bufferLength(p); }
fn takes_16(p: ptr<storage, buffer<16>, read_write>) -> u32 { return takes(p); }
fn takes_64(p: ptr<storage, buffer<64i>, read_write>) -> u32 { return takes_16(p) + takes(p) + takes_64u(p); }
fn takes_64u(p: ptr<storage, buffer<64u>, read_write>) -> u32 { return bufferLength(p); }
fn takes_68(p: ptr<storage, buffer<68>, read_write>) -> u32 { return bufferLength(p); }
fn takes_shared(p: ptr<workgroup, buffer>) -> u32 { return bufferLength(p); }
fn takes_shared_4(p: ptr<workgroup, buffer<4>>) -> u32 { return bufferLength(p); }
fn takes_uniform(p: ptr<uniform, buffer<32>>) -> u32 { return bufferLength(p); }
fn takes_array(p: ptr<storage, array<u32>, read_write>) -> u32 { return p[0]; }
fn sizes() {
  _ = takes(&page) + takes_16(&page) + takes_64(&page) + takes(&out);
  _ = takes_68(&page); // want "cannot pass this as ptr<storage, buffer<68>, read_write>: the value is ptr<storage, buffer<64>, read_write> [type-mismatch]"
  _ = takes_16(&out); // want "cannot pass this as ptr<storage, buffer<16>, read_write>: the value is ptr<storage, buffer, read_write> [type-mismatch]"
  _ = takes(&in); // want "cannot pass this as ptr<storage, buffer, read_write>: the value is ptr<storage, buffer> [type-mismatch]"
  _ = takes(&fixed); // want "cannot pass this as ptr<storage, buffer, read_write>: the value is ptr<uniform, buffer<64>> [type-mismatch]"
  _ = takes_shared(&chosen) + takes_shared(&shared_bytes) + takes_shared_4(&shared_bytes) + takes_uniform(&fixed);
  _ = takes_shared_4(&chosen); // want "cannot pass this as ptr<workgroup, buffer<4>>: the value is ptr<workgroup, buffer<bytes>> [type-mismatch]"
  _ = takes_array(&out); // want "cannot pass this as ptr<storage, array<u32>, read_write>: the value is ptr<storage, buffer, read_write> [type-mismatch]"
  _ = takes(page); // want "a buffer has no value [not-a-value]"
  let smaller: ptr<storage, buffer<16>, read_write> = &page; // want "cannot initialize a declaration of type ptr<storage, buffer<16>, read_write>: the value is ptr<storage, buffer<64>, read_write> [type-mismatch]"
}

var<workgroup> large: buffer<16388>;
@compute @workgroup_size(1) fn too_much() { _ = bufferLength(&large); } // want "[limit-exceeded]"
