// Uniform buffers have the layout of storage buffers (WGSL §14.4.4, with the
// language feature uniform_buffer_standard_layout).
requires uniform_buffer_standard_layout;
struct Small { x: f32 }
struct Array { a: array<f32, 4> }
struct After { a: Small, b: f32 }
struct Fixed { a: Small, @align(16) b: f32 }
struct Nested { x: f32, n: Small }
@group(0) @binding(0) var<uniform> a: Array;
@group(0) @binding(1) var<uniform> b: After;
@group(0) @binding(2) var<uniform> c: Fixed;
@group(0) @binding(3) var<uniform> d: array<vec4f, 4>;
@group(0) @binding(4) var<uniform> e: array<vec2f, 4>;
@group(0) @binding(5) var<uniform> f: Nested;
@group(0) @binding(6) var<storage> g: Array;
@group(0) @binding(7) var<storage> h: After;
@group(0) @binding(8) var<uniform> i: array<f32>; // want "address space uniform needs a type that can be shared with the host, without bool, atomics and runtime-sized arrays, found array<f32> [invalid-type]"
