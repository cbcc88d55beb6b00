// Parts of composites, references and pointers (WGSL §6.4, §8.5, §8.10).
struct S { a: vec4f, b: array<i32, 3>, c: mat2x3f }
@group(0) @binding(0) var<storage> input: array<S>;
@group(0) @binding(1) var<storage, read_write> output: array<S>;
@group(0) @binding(2) var<uniform> uniforms: vec4f;
var<private> global: S;

fn through(p: ptr<function, S>, q: ptr<storage, array<S>>) -> f32 {
  p.a.x = 1; // pointers to composites need no dereference
  (*p).a.y = p.a.z;
  p.b[1]++;
  return q[0].a.rgb.x + (*q)[1].c[1].y;
}
fn good(i: i32, u: u32) {
  var s = input[i];
  s.a[u] = s.a.wzyx.x;
  s.c[1].z = 2;
  output[u].b[i] = global.b[0];
  output[0] = s;
  let p = &s.b;
  let q = &(*p)[1];
  *q = 5;
  let r = &*&s;
  _ = through(&s, &input);
  _ = through(r, &input);
}
fn bad(i: i32, x: f32) {
  var s: S;
  let l = s;
  let a = s.d; // want "`S` has no member `d` [unknown-member]"
  let b = s.a.xyr; // want "the swizzle `xyr` mixes the letters xyzw and rgba [invalid-swizzle]"
  let c = s.a.v; // want "vec4<f32> has no components `v` [invalid-swizzle]"
  let d = s.a.xyzwx; // want "vec4<f32> has no components `xyzwx` [invalid-swizzle]"
  let e = s.b.x; // want "a value of type array<i32, 3> has no members [unknown-member]"
  let f = s[0]; // want "a value of type S cannot be indexed [invalid-index]"
  let g = s.a[1.5]; // want "an index is an i32 or u32, found abstract-float [invalid-index]"
  let h = x.x; // want "a value of type f32 has no members [unknown-member]"
  let j = &s.a.x; // want "a component of a vector has no address [invalid-pointer]"
  let k = &s.a[i]; // want "a component of a vector has no address [invalid-pointer]"
  let m = &l; // want "`&` needs a variable or a part of one, found a value of type S [invalid-pointer]"
  let n = &5; // want "`&` needs a variable or a part of one, found a value of type abstract-int [invalid-pointer]"
  let o = *s; // want "`*` needs a pointer, found S [invalid-pointer]"
  input[0] = s; // want "the storage variable is read-only [invalid-access]"
  uniforms.x = 1; // want "memory in address space uniform cannot be written here [invalid-access]"
  l.a.x = 1; // want "`l` is a value and cannot be assigned to [not-assignable]"
  i = 1; // want "`i` is a parameter and cannot be assigned to [not-assignable]"
  s.a.xy = vec2f();
  s.a.wzyx.xy *= 2.0;
  s.a.wzyx.yz.x += 1.0;
  s.a.xx = vec2f(); // want "a swizzle that names a component twice cannot be assigned to [not-assignable]"
  s.a.xy = vec3f(); // want "cannot assign to memory of type vec2<f32>: the value is vec3<f32> [type-mismatch]"
  s.a.xy = vec2i(); // want "cannot assign to memory of type vec2<f32>: the value is vec2<i32> [type-mismatch]"
  s.a.xy++; // want "`++` and `--` need an i32 or u32, found vec2<f32> [type-mismatch]"
  s.a.xy[0] = 1; // want "a component of a swizzle is assigned to by its letter, not by an index [not-assignable]"
  let view = &s.a.xy; // want "`&` needs a variable or a part of one, found a value of type vec2<f32> [invalid-pointer]"
  input[0].a.xy = vec2f(); // want "the storage variable is read-only [invalid-access]"
  vec4f().xy = vec2f(); // want "this value cannot be assigned to [not-assignable]"
  s.a = vec3f(); // want "cannot assign to memory of type vec4<f32>: the value is vec3<f32> [type-mismatch]"
  let p = &s;
  p = &s; // want "`p` is a pointer; assign to what it points to with *p [not-assignable]"
  vec2(1, 2).x = 1; // want "this value cannot be assigned to [not-assignable]"
  _ = output; // want "a value of type array<S> cannot be read [type-mismatch]"
  _ = &output;
  output = output; // want "memory of type array<S> cannot be assigned to [not-assignable]"
  s.b[0] = 1.5; // want "cannot assign to memory of type i32: the value is abstract-float [type-mismatch]"
  s.b[0]++;
  s.a.x++; // want "`++` and `--` need an i32 or u32, found f32 [type-mismatch]"
}
