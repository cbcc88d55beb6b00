// One program a line, wrong in a way that a fix mends.
fn f() { let c = float4(1.0); }
fn f() { var i: uint = 0; }
compute @workgroup_size(64) fn main() { }
@compute workgroup_size(64) fn main() { }
@stage(compute) @workgroup_size(64) fn main() { }
[[stage(compute), workgroup_size(64)]] fn main() { }
@compute @workgroup_size(64) fn main([[builtin(global_invocation_id)]] id: vec3<u32>) { }
[[block]] struct U { a: u32 }
fn f() { let a = 1.0 return; }
fn f() { let mut x = 1.0; x = 2.0; }
fn f() { float x = 1.0; x = 2.0; }
fn f() { for (int i = 0; i < 10; i++) { } }
fn f(x: i32, y: u32) { let r = x % y; }
fn f(x: i32, y: u32) { let r = y + x; }
fn f(y: u32) { let r = y * 2.0; }
fn f(y: u32) { let r = 2.5 * y; }
fn f(y: vec3u) { let r = y * 2.5; }
fn f(y: u32) { var r = 1.0; r += y; }
fn f(y: i32) { let r = 1u << y; }
fn f(y: u32) { let r = -y; }
fn f(b: bool) { let r = b + 1; }
fn f(x: u32) { if x { } }
fn f(x: u32) { if x & 1 { } }
fn f(x: u32) { if x & 1u == 0u { } }
fn f(x: u32) { let r = select(x > 3, 1.0, 2.0); }
fn f(x: i32) { let r = clamp(x, 0u, 5u); }
fn f(x: i32) { let r = sin(x); }
fn f(x: f32) { let r = saturat(x) + lerp(x, x, x) + rsqrt(x); }
fn f(x: f32) f32 { return x; }
fn f(x: f32): f32 { return x; }
struct S { a: u32; b: u32; }
fn f(x: f32) -> u32 { return x; }
fn g(p: ptr<function, f32>) { } fn f() { var x = 1.0; g(x); }
fn g(x: f32) { } fn f(p: ptr<function, f32>) { g(p); }
fn f(p: ptr<function, f32>) { let x = p + 1; }
var<workgroup> c: atomic<u32>; fn f() { let x = c + 1; }
var<workgroup> c: atomic<u32>; fn f() { atomicAdd(c, 1); }
var<workgroup> c: atomic<u32>; fn f() { atomicAdd(1, &c); }
@group(0) @binding(0) var<storage> o: array<f32>; fn f() { let n = arrayLength(o); }
@group(0) @binding(0) var<storage> o: array<f32>; fn f(id: vec3u) { let n = o[id]; }
fn f(x: vec3u) { var v: vec3f = x; v = x; }
fn f(x: u32) { var v = 1.0; v = x; }
fn f() { lett o = 1; }
fn f() { vra o = 1; o = 2; }
fn f() { cosnt o: u32 = 1; }
fn f() -> u32 { let x = 1u; retrun x; }
struct S { a: f32 } fn f() { S s = S(1.0); }
fn f() { T s = 1; s = 2; } alias T = u32;
fn f(a: u32, b: u32, c: u32) -> bool { return a < b < c; }
fn f(a: u32, c: u32) -> bool { return 0 <= a < c; }
fn f(a: u32, b: u32, c: bool) -> bool { return a < b == c; }
fn f(a: bool, b: bool, c: bool) -> bool { return a && b || c; }
fn f() { var a: arrray<f32, 4>; }
fn f() { let a = arrray<f32, 2>(1.0, 2.0); }
var<private> a: vecc3<f32>;
fn f() { let x = bitcats<u32>(1.0); }
fn f(x: f32) { let y = asuint(x); }
fn f(v: vec4f) { let m = mat4(v, v, v, v); }
fn f() { let x == 1; }
fn f() vec3<f32> { return vec3<f32>(); }
fn f() float { return 1.0; }
struct T { a: u32 } fn f() T { return T(1); }
enable f61; fn f() { let x = 1h; }
requires pointer_composite_acces; fn f() { }
struct S { first: f32 } fn f(s: S) -> f32 { return s.frist; }
fn f() { let colour = 1; let b = color; }
@compute @workgroup_size(64) fn main(@builtin(global_invocation) id: vec3u) { }
@compte @workgroup_size(64) fn main() { }
@group(0) @binding(0) var<storage> page: buffer<64>; fn f() { let n = bufferLength(page); }
fn f(b: boolean) { boolean c = b; }
fn f(x: f32, v: vec2f) { let a = frac(x) + atan2f(x, x) + mad(x, x, x); }
fn f(x: f32, v: vec2f) { let a = fabs(x) + sqrtf(x) + powf(x, x); }
fn f(x: u32) { let a = clz(x) + popcount(x) + firstbithigh(x) + reversebits(x); }
var<workgroup> c: atomic<u32>; fn f() { InterlockedAdd(&c, 1); }
var<workgroup> c: atomic<u32>; fn f() { atomicCompSwap(&c, 1, 2); }
