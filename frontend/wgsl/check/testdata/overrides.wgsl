// Override-expressions (WGSL §8.2.2): known when the pipeline is made.
override a: i32;
override b = a * 2 + 1;
override c: bool = a > 1 && b < 10;
override d: f32 = sqrt(f32(b));
override e = clamp(d, 0, 1);
override f = vec2(a, b).x;
override g = 1 / 0; // want "the expression divides by zero [evaluation-error]"
override h = select(a, 5, c);
override i: u32 = a; // want "cannot initialize a declaration of type u32: the value is i32 [type-mismatch]"
override j = k; // want "the declaration of `j` depends on itself [declaration-cycle]"
override k = j;
var<workgroup> w: array<f32, a>;
var<workgroup> x: array<f32, a>;
var<private> y = vec3(d, e, 1);
const z = a; // want "the value of a constant must be a const-expression [not-constant]"
const_assert a > 0; // want "the condition of const_assert must be a const-expression [not-constant]"
var<workgroup> bad: array<f32, d>; // want "the number of elements is an i32 or u32, found f32 [invalid-type]"
fn same_type() { w = x; } // want "memory of type array<f32, a> cannot be assigned to [not-assignable]"
fn uses(n: i32) -> i32 {
  switch n { case a: {} default {} } // want "a case selector must be a const-expression [not-constant]"
  let m = mix(d, e, 0.5) + dot(vec2(d, e), vec2(e, d));
  return n / a + array(1, 2, 3)[a];
}
