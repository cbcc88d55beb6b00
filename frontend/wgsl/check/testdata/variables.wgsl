// Variables and values (WGSL §7).

var<private> a: i32 = 1 + 2;
var<private> b = 1.5;
var<workgroup> c: array<f32, 4>;
@group(0) @binding(0) var<uniform> d: vec4f;
@group(1) @binding(0) var<storage, read_write> e: array<vec4f>;

var f: i32; // want "a variable at module scope needs an address space: var<private> f [invalid-declaration]"
var<function> g: i32; // want "variables in address space function are declared in functions [invalid-declaration]"
var<workgroup> h: i32 = 1; // want "a variable in address space workgroup has no initial value [invalid-declaration]"
@group(0) @binding(1) var<storage> i: i32 = 1; // want "a variable in address space storage has no initial value [invalid-declaration]"
var<storage> j: i32; // want "`j` is a resource and needs @group(…) @binding(…) [invalid-binding]"
@group(0) var<storage> k: i32; // want "`k` is a resource and needs @binding(…), too [invalid-binding]"
@group(0) @binding(0) var<private> l: i32; // want "@group and @binding belong to resources: variables in storage and uniform memory, textures and samplers [invalid-attribute]"
var<private> m; // want "the declaration of `m` needs a type or an initial value [invalid-declaration]"
var<private> n: i32 = a; // want "the initial value of a variable at module scope must be a const- or override-expression [not-constant]"
var<private> o: i32 = 1.5; // want "cannot initialize a declaration of type i32: the value is abstract-float [type-mismatch]"
var<nowhere> p: i32; // want "expected an address space: function, private, workgroup, uniform, storage or immediate [invalid-type]"
var<private, read> q: i32; // want "an access mode can be written for address space storage only [invalid-declaration]"
const r: i32 = a; // want "the value of a constant must be a const-expression [not-constant]"
const s = array<i32, 2>(1, 2);
const t: ptr<private, i32> = &a; // want "the value of a constant must be a const-expression [not-constant]"
override u: f32 = 2;
override v: vec2f; // want "an override is of scalar type, found vec2<f32> [invalid-declaration]"
override w = a; // want "the value of an override must be a const- or override-expression [not-constant]"
@id(7) override x: u32;
@id(7) override y: u32; // want "two overrides have the number 7 [invalid-attribute]"
@id(70000) override z: u32; // want "the number of an override is at most 65535, found 70000 [invalid-attribute]"
@id(-1) override z1: u32; // want "the argument of @id must be at least 0, found -1 [invalid-attribute]"

fn locals() {
  var a1 = 1;
  var a2: f32 = 1;
  var<function> a3 = vec2(1, 2);
  var<private> a4: i32; // want "variables in address space private are declared at module scope [invalid-declaration]"
  var a5: array<f32>; // want "a variable in a function needs an array of known size, found array<f32> [invalid-type]"
  var a6: atomic<u32>; // want "address space function needs a type whose values can be made, without atomics and runtime-sized arrays, found atomic<u32> [invalid-type]"
  let a7: u32 = 1;
  let a8: u32 = 1i; // want "cannot initialize a declaration of type u32: the value is i32 [type-mismatch]"
  let a9 = &a1;
  let a10: ptr<function, i32> = &a1;
  let a11: ptr<private, i32> = &a1; // want "cannot initialize a declaration of type ptr<private, i32>: the value is ptr<function, i32> [type-mismatch]"
  const a12 = 1 + 2;
  const a13 = a1; // want "the value of a constant must be a const-expression [not-constant]"
  let a14: f16 = 1; // want "f16 needs the extension f16 [missing-extension]"
  let a15 = c;
  let a16 = e; // want "a let-declaration cannot hold a value of type array<vec4<f32>> [invalid-declaration]"
  let a17: i32 = 3000000000; // want "the value 3000000000 is out of range of i32 [evaluation-error]"
  let a18 = 3000000000; // want "the value 3000000000 is out of range of i32 [evaluation-error]"
  let a19: u32 = 3000000000;
  let a20: f32 = 1e40; // want "the value 1e+40 is out of range of f32 [evaluation-error]"
}
