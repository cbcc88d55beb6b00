// What const-expressions must not do (WGSL §1.1, §8.2, §8.7, §15.7, §17.5), and
// what is an error although only one operand is known.

const a1 = 1 / 0; // want "the expression divides by zero [evaluation-error]"
const a2 = 1u % 0u; // want "the expression divides by zero [evaluation-error]"
const a3 = 1.0 / 0.0; // want "the expression divides by zero [evaluation-error]"
const a4 = 9223372036854775807 + 1; // want "the expression overflows abstract-int [evaluation-error]"
const a5 = 2147483647i + 1i;
const_assert a5 == -2147483648;
const a6 = 1e38f * 10; // want "the expression overflows f32 [evaluation-error]"
const a7 = i32(-2147483648) / -1i; // want "the expression overflows i32 [evaluation-error]"
const a8 = 1u << 32u; // want "the expression shifts by at least the width of u32 [evaluation-error]"
const a9 = 3u << 31u; // want "the expression overflows u32 [evaluation-error]"
const a10 = u32(-1); // want "the expression is out of range of u32 [evaluation-error]"
const a11 = sqrt(-1.0); // want "the expression has an operand outside the function's domain [evaluation-error]"
const a12 = log(0); // want "the expression has an operand outside the function's domain [evaluation-error]"
const a13 = acos(2.0); // want "the expression has an operand outside the function's domain [evaluation-error]"
const a14 = vec2(1, 2)[2]; // want "the index 2 lies outside of vec2<abstract-int>, whose last index is 1 [invalid-index]"
const a15 = array(1, 2)[-1]; // want "the index -1 lies outside of array<abstract-int, 2>, whose last index is 1 [invalid-index]"
const a16 = clamp(1, 3, 2); // want "the expression has a low bound above its high bound [evaluation-error]"
const a17 = extractBits(1u, 30, 3); // want "the expression has a bit field that reaches beyond the width of u32 [evaluation-error]"
const a18 = ldexp(1.0, 2000); // want "the expression has an exponent too large for abstract-float [evaluation-error]"
const a19 = normalize(vec2(0.0)); // want "the expression normalizes a vector of length zero [evaluation-error]"
const a20 = bitcast<f32>(0x7f800000u); // want "the expression is not a finite value of f32 [evaluation-error]"
const a21 = smoothstep(1.0, 1.0, 0.5); // want "the expression has equal edges, so that the function is not defined [evaluation-error]"
const a22: f32 = 3.5e38; // want "the value 3.5e+38 is out of range of f32 [evaluation-error]"
const a23 = pack2x16float(vec2f(70000)); // want "the expression is out of range of f32 [evaluation-error]"
const a24 = exp(1000.0); // want "the expression overflows abstract-float [evaluation-error]"
const a25 = pow(-1.0, 2.0); // want "the expression has an operand outside the function's domain [evaluation-error]"
const a26 = quantizeToF16(70000.0); // want "the expression is out of range of f32 [evaluation-error]"
const a27 = mix(1e308, 1e308, 1e10); // want "the expression overflows abstract-float [evaluation-error]"
const_assert 1 > 2; // want "the assertion does not hold [const-assert-failed]"
const_assert 1; // want "cannot assert a condition of type bool: the value is abstract-int [type-mismatch]"

const b1 = mix(1.0, 3.0, 0.5);
const_assert b1 == 2;
const_assert dot(vec3(1, 2, 3), vec3(1, 2, 3)) == 14;
const_assert cross(vec3(1.0, 0, 0), vec3(0.0, 1, 0)).z == 1;
const_assert determinant(mat3x3(2.0, 0, 0, 0, 3, 0, 0, 0, 4)) == 24;
const_assert transpose(mat2x3(1.0, 2, 3, 4, 5, 6))[2].y == 6;
const_assert (mat2x2(1, 2, 3, 4) * mat2x2(1, 0, 0, 1))[1][0] == 3;
const_assert (vec2(1, 2) * mat2x2(1, 2, 3, 4)).y == 11;
const_assert length(vec2(3.0, 4.0)) == 5 && distance(1.0, 3.5) == 2.5;
const_assert normalize(vec2(0.0, 2.0)).y == 1;
const_assert reflect(vec2(1.0, -1.0), vec2(0.0, 1.0)).y == 1;
const_assert refract(vec2(1.0, 0.0), vec2(0.0, 1.0), 0.5).x == 0.5;
const_assert faceForward(vec2(1.0), vec2(1.0), vec2(1.0)).x == -1;
const_assert step(1.0, 2.0) == 1 && saturate(7.0) == 1;
const_assert smoothstep(0.0, 1.0, 0.5) == 0.5;
const_assert degrees(0.0) == 0 && radians(180.0) > 3.14;
const_assert modf(2.5).fract == 0.5 && modf(2.5).whole == 2;
const_assert frexp(8.0).exp == 4 && frexp(vec2(8.0, 1.0)).fract.y == 0.5;
const_assert select(1, 2, true) == 2 && select(vec2(1, 2), vec2(3, 4), vec2(true, false)).x == 3;
const_assert bitcast<u32>(1.0f) == 0x3f800000u;
const_assert countOneBits(255u) == 8 && firstLeadingBit(16) == 4;
const_assert unpack4x8unorm(0xffu).x == 1 && dot4U8Packed(0x01010101u, 0x01020304u) == 10;
const_assert ldexp(1.0, 3) == 8 && fma(2.0, 3.0, 4.0) == 10;
const_assert array(vec2(1, 2), vec2(3, 4))[1].y == 4;

// What a short circuit leaves out is typed but not evaluated (WGSL §8.2): an index
// outside is an error of evaluation, as a division by zero is.
const c1 = (false && 1 / 0 == 0) || true || vec2(1, 2)[2] == 1;
const c2 = false && array(array(6))[3][0] == 6;
const c3 = false && array<u32, 1 + 2>(0, 1, 2)[3] == 0;
const c4 = false && array(array(6))[3][0]; // want "the operator `&&` does not take bool and abstract-int [no-overload]"
// Types are known nevertheless, and so is what they depend on.
const c5 = false && array<u32, array(array(6))[3][0]>()[0] == 0; // want "the index 3 lies outside of array<array<abstract-int, 1>, 1>, whose last index is 0 [invalid-index]"
const c6 = false && array<u32, 1 / 0>()[0] == 0; // want "the expression divides by zero [evaluation-error]" "an array has at least one element, found a count of 0 [invalid-type]"
const c7 = false && array<u32, select(1, 2, false && 1 / 0 == 0)>()[0] == 0;
// A declaration that is first needed there is evaluated where it stands.
const c8 = true || c9 == 0 || C10()[0] == 0 || C11().a == 0;
const c9 = 1 / 0; // want "the expression divides by zero [evaluation-error]"
alias C10 = array<i32, vec2(1, 2)[2]>; // want "the index 2 lies outside of vec2<abstract-int>, whose last index is 1 [invalid-index]"
struct C11 { @size(array(8)[1]) a: i32 } // want "the index 1 lies outside of array<abstract-int, 1>, whose last index is 0 [invalid-index]"

override scale = 2;
fn f(x: i32, y: f32, v: vec3i, i: u32) {
  var m = array<i32, 4>();
  let a = x / 0; // want "the expression divides by zero [evaluation-error]"
  let b = v % vec3(1, 0, 1); // want "the expression divides by zero [evaluation-error]"
  let c = y / 0;
  let d = x << 32; // want "the expression shifts by at least the width of i32 [evaluation-error]"
  let e = clamp(x, 2, 1); // want "the expression has a low bound above its high bound [evaluation-error]"
  let g = m[4]; // want "the index 4 lies outside of array<i32, 4>, whose last index is 3 [invalid-index]"
  let h = m[-1]; // want "the index -1 lies outside of array<i32, 4>, whose last index is 3 [invalid-index]"
  let j = v[3]; // want "the index 3 lies outside of vec3<i32>, whose last index is 2 [invalid-index]"
  let k = extractBits(i, 16, 17); // want "the expression has a bit field that reaches beyond the width of u32 [evaluation-error]"
  let l = x / scale;
  let n = smoothstep(1, 1, y); // want "the expression has equal edges, so that the function is not defined [evaluation-error]"
  m[5] = 1; // want "the index 5 lies outside of array<i32, 4>, whose last index is 3 [invalid-index]"
  let o = false && x / 0 == 0;
  let p = mat2x2f()[2]; // want "the index 2 lies outside of mat2x2<f32>, whose last index is 1 [invalid-index]"
  x += 1; // want "`x` is a parameter and cannot be assigned to [not-assignable]"
  m[0] /= 0; // want "the expression divides by zero [evaluation-error]"
}
