// Layout constraints of address spaces (WGSL §14.4.4).
struct Small { x: f32 }
struct Array { a: array<f32, 4> }
struct After { a: Small, 
  b: f32 // want "address space uniform needs the member behind a structure at a multiple of 16 bytes, at least 16; `b` is at 4 [invalid-layout]"
}
struct Fixed { a: Small, @align(16) b: f32 }
struct Nested { x: f32, 
  n: Small // want "address space uniform needs the member `n` at a multiple of 16 bytes; it is at 4 [invalid-layout]"
}
@group(0) @binding(0) var<uniform> a: Array; // want "address space uniform needs arrays whose elements are a multiple of 16 bytes apart; those of array<f32, 4> are 4 apart [invalid-layout]"
@group(0) @binding(1) var<uniform> b: After;
@group(0) @binding(2) var<uniform> c: Fixed;
@group(0) @binding(3) var<uniform> d: array<vec4f, 4>;
@group(0) @binding(4) var<uniform> e: array<vec2f, 4>; // want "address space uniform needs arrays whose elements are a multiple of 16 bytes apart; those of array<vec2<f32>, 4> are 8 apart [invalid-layout]"
@group(0) @binding(5) var<uniform> f: Nested;
@group(0) @binding(6) var<storage> g: Array;
@group(0) @binding(7) var<storage> h: After;
