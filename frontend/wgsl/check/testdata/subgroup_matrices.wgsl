// Subgroup matrices, as Tint has them.
enable f16, chromium_experimental_subgroup_matrix;
diagnostic(off, chromium.subgroup_matrix_uniformity);

override extent: u32 = 8;
const sides = 4i;
alias Byte = i8;
alias Left = subgroup_matrix_left<f32, 4, 8>;
alias Right = subgroup_matrix_right<f32, 16, 4>;
alias Sum = subgroup_matrix_result<f32, 16, 8>;
struct Block { m: Sum, n: u32 }

@group(0) @binding(0) var<storage> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage> words: array<i32, 64>;
@group(0) @binding(3) var<storage, read_write> block: Block; // want "address space storage needs a type without subgroup matrices, which are in variables of functions only, found Block [invalid-type]"
var<private> alone: Sum; // want "address space private needs a type without subgroup matrices, which are in variables of functions only, found subgroup_matrix_result<f32, 16, 8> [invalid-type]"
var<workgroup> several: array<Sum, 2>; // want "address space workgroup needs a type without subgroup matrices, which are in variables of functions only, found array<subgroup_matrix_result<f32, 16, 8>, 2> [invalid-type]"
const constant = Sum(); // want "the value of a constant must be a const-expression [not-constant]"
override changed: Sum; // want "[invalid-declaration]"

alias Few = subgroup_matrix_left<f32, 8>; // want "`subgroup_matrix_left` takes 3 template arguments, found 2 [invalid-type]"
alias NoBool = subgroup_matrix_left<bool, 8, 8>; // want "a subgroup matrix has the component type f32, f16, i32, u32, i8 or u8, found bool [invalid-type]"
alias None = subgroup_matrix_left<f32, 0, 8>; // want "the number of columns of a subgroup matrix is 1 to 128, found 0 [invalid-type]"
alias Negative = subgroup_matrix_left<f32, 8, -1i>; // want "the number of rows of a subgroup matrix is 1 to 128, found -1 [invalid-type]"
alias Large = subgroup_matrix_left<f32, 8, 129>; // want "the number of rows of a subgroup matrix is 1 to 128, found 129 [invalid-type]"
alias Overridden = subgroup_matrix_left<f32, extent, 8>; // want "the number of columns of a subgroup matrix must be a const-expression [not-constant]"
alias Fraction = subgroup_matrix_left<f32, 8, 8.0>; // want "the number of rows of a subgroup matrix is an i32 or u32, found abstract-float [invalid-type]"
alias Bytes = subgroup_matrix_right<Byte, sides, sides * 2>;
alias Bare = subgroup_matrix_left; // want "`subgroup_matrix_left` needs template arguments here: a component type, columns and rows, such as <f32, 8, 8> [invalid-type]"
alias Vector = vec2<u8>; // want "the components of a vector are scalars, found u8 [invalid-type]"
struct Narrow { b: i8 } // want "[invalid-type]"

fn narrow() {
  var b: i8; // want "address space function needs a type that can be in memory, found i8 [invalid-type]"
  _ = u8(3); // want "values of type u8 cannot be made [invalid-type]"
  _ = bitcast<i8>(1u); // want "`bitcast` needs numeric scalars or vectors, found i8 [no-overload]"
  _ = array<i8, 4>(); // want "the elements of an array need a plain type of known size, found i8 [invalid-type]"
}

fn values(p: ptr<function, Sum>, b: Block, q: ptr<workgroup, Sum>) -> Sum { // want "address space workgroup needs a type without subgroup matrices, which are in variables of functions only, found subgroup_matrix_result<f32, 16, 8> [invalid-type]"
  var all = array<Sum, 2>(Sum(), *p);
  let some = array(Sum(2), b.m);
  all[1] = some[0];
  _ = Sum(1i); // want "cannot make subgroup_matrix_result<f32, 16, 8> from (i32) [no-overload]"
  _ = Sum(1, 2); // want "cannot make subgroup_matrix_result<f32, 16, 8> from (abstract-int, abstract-int) [no-overload]"
  _ = subgroup_matrix_left<u8, 4, 4>(300u);
  _ = all[0] + all[1]; // want "[no-overload]"
  _ = all[0] == all[1]; // want "[no-overload]"
  _ = all[0][1]; // want "[invalid-index]"
  _ = all[0].x; // want "[unknown-member]"
  return all[n()];
}

fn n() -> u32 { return 1; }

fn memory(offset: i32, by_column: bool) {
  let left = subgroupMatrixLoad<Left>(&in, offset, false, 4u); // want "`Left` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
  let bytes = subgroupMatrixLoad<Bytes>(&words, 0, true, 4);
  _ = subgroupMatrixLoad(&in, 0, false, 4); // want "`subgroupMatrixLoad` takes one template argument, a type: subgroupMatrixLoad<T>(…) [invalid-type]"
  _ = subgroupMatrixLoad<f32>(&in, 0, false, 4); // want "`subgroupMatrixLoad` needs the type of a subgroup matrix, found f32 [invalid-type]"
  _ = subgroupMatrixLoad<Left>(&words, 0, false, 4); // want "subgroup_matrix_left<f32, 4, 8> is loaded from an array of f32, found one of i32 [no-overload]"
  _ = subgroupMatrixLoad<Left>(&in, 0, by_column, 4); // want "the order of the elements in `subgroupMatrixLoad` must be a const-expression [not-constant]"
  _ = subgroupMatrixLoad<Left>(in, 0, false, 4); // want "`subgroupMatrixLoad` does not take (array<f32>, abstract-int, bool, abstract-int) [no-overload]"
  _ = subgroupMatrixLoad<Left>(&in[1], 0, false, 4); // want "`subgroupMatrixLoad` does not take (ptr<storage, f32>, abstract-int, bool, abstract-int) [no-overload]"
  _ = subgroupMatrixLoad<Left>(&in, 0.5, false, 4); // want "`subgroupMatrixLoad` does not take (ptr<storage, array<f32>>, abstract-float, bool, abstract-int) [no-overload]"
  subgroupMatrixLoad<Left>(&in, 0, false, 4); // want "the result of `subgroupMatrixLoad` must be used [unused-result]"
  subgroupMatrixStore(&out, 0, left, false, 4);
  subgroupMatrixStore(&in, 0, left, false, 4); // want "`subgroupMatrixStore` writes, and this memory is read-only [invalid-access]"
  subgroupMatrixStore(&out, 0, bytes, false, 4); // want "`subgroupMatrixStore` does not take (ptr<storage, array<f32>, read_write>, abstract-int, subgroup_matrix_right<i8, 4, 8>, bool, abstract-int) [no-overload]"
  subgroupMatrixStore<Left>(&out, 0, left, false, 4); // want "`subgroupMatrixStore` takes no template arguments [invalid-type]"
  let also = subgroupMatrixLoad<Left, row_major>(&in, offset, 4u);
  subgroupMatrixStore<col_major>(&out, 0, also, 8);
  _ = subgroupMatrixLoad<row_major>(&in, 0, 4); // want "`subgroupMatrixLoad` takes 2 template arguments, found 1 [invalid-type]"
  _ = subgroupMatrixLoad<Left, row_major>(&in, 0, false, 4); // want "`subgroupMatrixLoad` takes the order of the elements once, as template argument row_major or col_major, or as argument before the stride [no-overload]"
  _ = subgroupMatrixLoad<Left>(&in, 0, 4); // want "`subgroupMatrixLoad` takes the order of the elements once, as template argument row_major or col_major, or as argument before the stride [no-overload]"
  subgroupMatrixStore(&out, 0, also, 8); // want "`subgroupMatrixStore` takes the order of the elements once, as template argument row_major or col_major, or as argument before the stride [no-overload]"
  _ = row_major; // want "`row_major` is an order of elements, and a value is needed here [not-a-value]"
}

fn products(l: Left, r: Right, s: Sum) {
  let sum: Sum = subgroupMatrixMultiply<f32>(l, r);
  let halves: subgroup_matrix_result<f16, 16, 8> = subgroupMatrixMultiply<f16>(l, r); // want "products of f32 are not added as f16 by `subgroupMatrixMultiply` [no-overload]"
  let more = subgroupMatrixMultiplyAccumulate(l, r, halves); // want "products of f32 are not added as f16 by `subgroupMatrixMultiplyAccumulate` [no-overload]"
  let narrow = subgroupMatrixMultiply<f16>(subgroup_matrix_left<f16, 8, 8>(), subgroup_matrix_right<f16, 8, 8>());
  let wide = subgroupMatrixMultiply<f32>(subgroup_matrix_left<f16, 8, 8>(), subgroup_matrix_right<f16, 8, 8>());
  _ = subgroupMatrixMultiply<u32>(subgroup_matrix_left<i8, 8, 8>(), subgroup_matrix_right<i8, 8, 8>());
  _ = subgroupMatrixMultiply<u8>(subgroup_matrix_left<u32, 8, 8>(), subgroup_matrix_right<u32, 8, 8>()); // want "products of u32 are not added as u8 by `subgroupMatrixMultiply` [no-overload]"
  _ = subgroupMatrixMultiply(l, r); // want "`subgroupMatrixMultiply` takes one template argument, a type: subgroupMatrixMultiply<T>(…) [invalid-type]"
  _ = subgroupMatrixMultiply<bool>(l, r); // want "`subgroupMatrixMultiply` needs the component type f32, f16, i32, u32, i8 or u8, found bool [invalid-type]"
  _ = subgroupMatrixMultiply<f32>(r, l); // want "`subgroupMatrixMultiply` does not take (subgroup_matrix_right<f32, 16, 4>, subgroup_matrix_left<f32, 4, 8>) [no-overload]"
  _ = subgroupMatrixMultiply<f32>(l, subgroup_matrix_right<f32, 16, 8>()); // want "`subgroupMatrixMultiply` does not take (subgroup_matrix_left<f32, 4, 8>, subgroup_matrix_right<f32, 16, 8>) [no-overload]"
  _ = subgroupMatrixMultiply<f32>(l, subgroup_matrix_right<f16, 16, 4>()); // want "`subgroupMatrixMultiply` does not take (subgroup_matrix_left<f32, 4, 8>, subgroup_matrix_right<f16, 16, 4>) [no-overload]"
  _ = subgroupMatrixMultiplyAccumulate(l, r, l); // want "`subgroupMatrixMultiplyAccumulate` does not take (subgroup_matrix_left<f32, 4, 8>, subgroup_matrix_right<f32, 16, 4>, subgroup_matrix_left<f32, 4, 8>) [no-overload]"
  _ = subgroupMatrixScalarAdd(l, 1);
  _ = subgroupMatrixScalarSubtract(subgroup_matrix_left<u8, 4, 4>(), 1u);
  _ = subgroupMatrixScalarMultiply(s, 1h); // want "`subgroupMatrixScalarMultiply` does not take (subgroup_matrix_result<f32, 16, 8>, f16) [no-overload]"
}

@fragment fn fragment_variable() {
  var s: Sum; // want "`Sum` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
}
@fragment fn fragment_made() {
  _ = subgroup_matrix_left<f32, 8, 8>(); // want "`subgroup_matrix_left` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
}
@fragment fn fragment_structure() {
  var b: Block; // want "`Block` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
}
@fragment fn fragment_load() {
  memory(0, true);
}
