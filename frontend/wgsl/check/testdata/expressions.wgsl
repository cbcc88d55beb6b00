// Operators, and abstract numbers in them (WGSL §6.1.2, §8.6 to §8.9).

const c1 = 1 + 2.5;
const_assert c1 == 3.5;
const c2: f32 = 1 / 2;
const_assert c2 == 0;
const c3 = vec3(1, 2, 3) * 2 + vec3(1.5);
const_assert c3.z == 7.5;
const c4 = mat2x2(1, 2, 3, 4) * vec2(1, 1);
const_assert c4.x == 4 && c4.y == 6;
const c5 = -7 % 3;
const_assert c5 == -1;
const c6 = 1u << 31;
const_assert c6 == 0x80000000u;
const c7 = ~0u;
const c8 = (true & false) | true;
const c9 = (1 < 2) == true;
const c10 = 1 << 40;
const_assert c10 == 1099511627776;
const c11 = vec2(1, 2) == vec2(1, 3);
const_assert c11.x && !c11.y;
const c12 = all(vec2(true)) || (1 / 0 == 0);
const c13 = false && 1; // want "the operator `&&` does not take bool and abstract-int [no-overload]"

const e1 = 1u + 1i; // want "the operator `+` does not take u32 and i32 [no-overload]"
const e2 = 1.0 & 2; // want "the operator `&` does not take abstract-float and abstract-int [no-overload]"
const e3 = !1; // want "the operator `!` does not take abstract-int [no-overload]"
const e4 = -1u; // want "the operator `-` does not take u32 [no-overload]"
const e5 = vec2(1, 2) + vec3(1, 2, 3); // want "the operator `+` does not take vec2<abstract-int> and vec3<abstract-int> [no-overload]"
const e6 = true + true; // want "the operator `+` does not take bool and bool [no-overload]"
const e7 = 1 << 2i; // want "the operator `<<` does not take abstract-int and i32 [no-overload]"
const e8 = mat2x2(1, 2, 3, 4) + 1; // want "the operator `+` does not take mat2x2<abstract-float> and abstract-int [no-overload]"
const e9 = mat2x2(1, 2, 3, 4) * vec3(1, 1, 1); // want "the operator `*` does not take mat2x2<abstract-float> and vec3<abstract-int> [no-overload]"
const e10 = (1 == 1u) == true;
const e11 = &c1; // want "`&` needs a variable or a part of one, found a value of type abstract-float [invalid-pointer]"
const e12 = *c1; // want "`*` needs a pointer, found abstract-float [invalid-pointer]"
fn f(x: i32, y: u32, v: vec3f) {
  let a = x + 1;
  let b = y + 1;
  let c: f32 = v.x * 2;
  let d = x + y; // want "the operator `+` does not take i32 and u32 [no-overload]"
  let e = x << 1;
  let g = x << y;
  let h = x << 1i; // want "the operator `<<` does not take i32 and i32 [no-overload]"
  let i = vec3(x) + 1;
  let j = v + 1.5f;
  let k = x + 1.5; // want "the operator `+` does not take i32 and abstract-float [no-overload]"
  let l = x && true; // want "the operator `&&` does not take i32 and bool [no-overload]"
  let m = vec3(x, 1, 2);
  let n = vec3(1, 2, 3)[x];
  let o = (x < 1) != (y > 2u);
  let p = select(1, 2, x > 0) + x;
  let q = v * mat3x3f() * v.x;
  let r = f(1, 1, v); // want "the function `f` has no result [not-a-value]" "the function `f` calls itself [recursion]"
  let s = f32(x) + f32(true);
}
