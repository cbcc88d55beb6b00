// Values made by calling types (WGSL §17.1).
struct S { a: i32, b: vec2f }
struct Holder { a: atomic<u32> }
alias V = vec4<f32>;

const a1 = vec4(vec2(1, 2), 3, 4.5);
const_assert a1.w == 4.5;
const a2 = vec3<i32>(vec3(1.9, -1.9, 0));
const_assert a2.x == 1 && a2.y == -1;
const a3 = mat2x2(vec2(1, 2), vec2(3, 4));
const a4 = array(1, 2.5, 3u); // want "cannot make an array from (abstract-int, abstract-float, u32) [no-overload]"
const a5 = array(1, 2u);
const_assert a5[0] == 1u;
const a6 = S(1, vec2(1, 2));
const_assert a6.b.y == 2;
const a7 = S();
const a8 = array<S, 2>();
const a9 = V(1);
const a10 = f32(true) + f32(2i) + f32(3u);
const a11 = bool(0.5) && !bool(0u);
const a12 = i32(4294967295u);
const_assert a12 == -1;
const a13 = vec2();
const a14 = mat2x2<f32>(mat2x2(1, 2, 3, 4));

const b1 = vec3(1, 2); // want "cannot make vec3<abstract-int> from (abstract-int, abstract-int) [no-overload]"
const b2 = vec3(1, 2u, 3i); // want "cannot make a vec3 from (abstract-int, u32, i32) [no-overload]"
const b3 = vec2(vec3(1, 2, 3)); // want "cannot make vec2<abstract-int> from (vec3<abstract-int>) [no-overload]"
const b4 = mat2x2(1, 2, 3); // want "cannot make mat2x2<abstract-float> from (abstract-int, abstract-int, abstract-int) [no-overload]"
const b5 = mat2x2(true, true, true, true); // want "cannot make a mat2x2 from (bool, bool, bool, bool) [no-overload]"
const b6 = S(1); // want "S has 2 members, found 1 argument [argument-count]"
const b7 = S(1.5, vec2f()); // want "cannot use this as member 1 of the structure, of type i32: the value is abstract-float [type-mismatch]"
const b8 = array<i32, 2>(1, 2, 3); // want "array<i32, 2> has 2 elements, found 3 arguments [argument-count]"
const b9 = array<i32>(1, 2); // want "values of type array<i32> cannot be made [invalid-type]"
const b10 = array(); // want "an array has at least one element [argument-count]"
const b11 = Holder(); // want "values of type Holder cannot be made [invalid-type]"
const b12 = f32(vec2(1, 2)); // want "cannot make f32 from (vec2<abstract-int>) [no-overload]"
const b13 = f32(1, 2); // want "cannot make f32 from (abstract-int, abstract-int) [no-overload]"
const b14 = atomic<u32>(1); // want "values of type atomic<u32> cannot be made [invalid-type]"
const b15 = vec2<bool>(1, 2); // want "cannot make vec2<bool> from (abstract-int, abstract-int) [no-overload]"
const b16 = array<i32, 2>(1, 1.5); // want "cannot use this as element 2 of the array, of type i32: the value is abstract-float [type-mismatch]"
fn f(x: i32) {
  let c1 = vec3(x, 1, 2);
  let c2 = array(x, 1);
  let c3 = array(1.5, f32(x));
  vec2(1, 2); // want "a value that is made must be used [unused-result]"
  let c4 = texture_2d(1); // want "`texture_2d` cannot be called [invalid-type]"
}
