// Tiles: the extension gpuc_tile.
enable gpuc_tile;
enable f16;

override o = 4;
const side = 8;
alias A = tile<f32, side, 2 * side>;
struct One { x: f32 }
struct View { v: tile_view, p: tile<f32, 2, 2> } // want "a member cannot be of type tile<f32, 2, 2> [invalid-type]"

@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> h: array<One>;
@group(0) @binding(3) var<uniform> place: tile_view;
@group(0) @binding(4) var<storage> v: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(6) var texels: texture_storage_2d<r32float, write>;
@group(0) @binding(7) var<storage, read_write> z: tile<f32, 2, 2>; // want "address space storage needs a type that can be in memory, found tile<f32, 2, 2> [invalid-type]"
var<workgroup> w: array<f16, 64>;
var<private> own: array<f32, 4>;
var<private> t: tile<f32, 2, 2>; // want "address space private needs a type that can be in memory, found tile<f32, 2, 2> [invalid-type]"
const c = tile<f32, 2, 2>(); // want "the value of a constant must be a const-expression [not-constant]"

fn good(a: A, row: i32) -> tile<f32, 16, 1> {
  var b = a;
  b = tileMulAdd(tile<f32, 8, 4>(), tileSplat<tile<f32, 4, 16>>(1), b);
  tileStore(&h, place, row, 0, b);
  tileStore(&y, tile_view(0, 8, 16, 16, 1), 0u, row, tileConvert<f32>(tileConvert<f16>(b)));
  let half = tileLoad<tile<f16, 4, 4>>(&w, place, 1, 2);
  tileStore(&w, place, 0, 0, tileTranspose(half));
  b = tileBroadcast<A>(tileRowSum(b));
  b = tileBroadcast<A>(tileColumnMax(a));
  _ = tileMap(mixed, a, b, tileSplat<tile<i32, 8, 16>>(1), 2, vec2f());
  return tileTranspose(tileColumnMin(b));
}

fn mixed(row: u32, column: u32, x: f32, y: f32, z: i32, scale: f32, shift: vec2f) -> f16 {
  var array = array<f32, 2>(x, y);
  array[row % 2] *= scale;
  return f16(array[0] + f32(z) + shift.x + v[column].x);
}

fn types(p: ptr<function, tile<f32, 2, 2>>) { // want "address space function needs a type that can be in memory, found tile<f32, 2, 2> [invalid-type]"
  var a: tile<f32, 2>; // want "`tile` takes 3 template arguments, found 2 [invalid-type]"
  var b: tile; // want "`tile` needs template arguments here: an element type, rows and columns, such as <f32, 64, 32> [invalid-type]"
  var d: tile<bool, 2, 2>; // want "the elements of a tile are f32, f16, i32 or u32, found bool [invalid-type]"
  var e: tile<f32, 0, 2>; // want "the number of rows of a tile must be from 1 to 1024, found 0 [invalid-type]"
  var f: tile<f32, 2, 1025>; // want "the number of columns of a tile must be from 1 to 1024, found 1025 [invalid-type]"
  var g: tile<f32, 512, 512>; // want "a tile has at most 65536 elements, found 262144 [invalid-type]"
  var i: tile<f32, 2, o>; // want "the number of columns of a tile must be a const-expression [not-constant]"
  var j: tile<f32, 2, 1.5>; // want "the number of columns of a tile must be an i32 or u32, found abstract-float [type-mismatch]"
  var k: array<A, 2>; // want "the elements of an array need a plain type of known size, found tile<f32, 8, 16> [invalid-type]"
  var l = A(1); // want "cannot make tile<f32, 8, 16> from (abstract-int) [no-overload]"
  var m = tile<f32, 2, 2>();
  let n = &m; // want "a tile has no address [invalid-pointer]"
  let q = m + m; // want "the operator `+` does not take tile<f32, 2, 2> and tile<f32, 2, 2> [no-overload]"
  let r = m[0]; // want "a value of type tile<f32, 2, 2> cannot be indexed [invalid-index]"
  let s = tile_view(1, 2); // want "tile_view has 5 members, found 2 arguments [argument-count]"
  m = tile<f32, 2, 3>(); // want "cannot assign to memory of type tile<f32, 2, 2>: the value is tile<f32, 2, 3> [type-mismatch]"
  const u = tile_view(1, 2, 3, 4, 5).row_stride + side;
  let i8 = array<u32, u>();
}

fn calls(a: tile<f32, 2, 4>, i: tile<i32, 2, 4>, half: tile<f16, 2, 4>, at: tile_view) {
  _ = tileLoad<A>(&x, 0, 1, 2); // want "`tileLoad` does not take (ptr<storage, array<f32>>, abstract-int, abstract-int, abstract-int) [no-overload]"
  _ = tileLoad<A>(x, at, 1, 2); // want "`tileLoad` does not take (array<f32>, tile_view, abstract-int, abstract-int) [no-overload]"
  _ = tileLoad(&x, at, 1, 2); // want "`tileLoad` takes one template argument, a type: tileLoad<T>(…) [invalid-type]"
  _ = tileLoad<f32>(&x, at, 1, 2); // want "`tileLoad` needs the type of its result, such as tile<f32, 64, 32>, found f32 [invalid-type]"
  _ = tileLoad<tile<i32, 2, 2>>(&x, at, 1, 2); // want "`tileLoad` needs an array of i32, found array<f32> [type-mismatch]"
  _ = tileLoad<A>(&own, at, 1, 2); // want "`tileLoad` needs an array that the workgroup shares, in storage or workgroup memory, found ptr<private, array<f32, 4>> [invalid-pointer]"
  _ = tileLoad<A>(&v, at, 1, 2); // want "`tileLoad` needs an array of f32, found array<vec4<f32>> [type-mismatch]"
  _ = tileLoad<A>(&x, at, 1.5, 2); // want "`tileLoad` does not take (ptr<storage, array<f32>>, tile_view, abstract-float, abstract-int) [no-overload]"
  tileLoad<A>(&x, at, 1, 2); // want "the result of `tileLoad` must be used [unused-result]"
  tileStore(&x, at, 1, 2, a); // want "`tileStore` needs memory that can be written, found ptr<storage, array<f32>> [invalid-access]"
  tileStore(&y, at, 1, 2, half); // want "`tileStore` needs an array of f16, found array<f32> [type-mismatch]"
  tileStore(&y, at, 1, 2, 3); // want "`tileStore` does not take (ptr<storage, array<f32>, read_write>, tile_view, abstract-int, abstract-int, abstract-int) [no-overload]"
  _ = tileSplat<tile<f32, 2, 2>>(1u); // want "the elements of tile<f32, 2, 2> are f32, found u32 [type-mismatch]"
  _ = tileSplat<tile<u32, 2, 2>>(vec2u()); // want "`tileSplat` does not take (vec2<u32>) [no-overload]"
  _ = tileConvert<bool>(a); // want "`tileConvert` needs the elements of the result, which are f32, f16, i32 or u32, found bool [invalid-type]"
  _ = tileConvert<A>(a); // want "`tileConvert` needs the elements of the result, which are f32, f16, i32 or u32, found tile<f32, 8, 16> [invalid-type]"
  _ = tileMulAdd(a, a, a); // want "`tileMulAdd` does not take (tile<f32, 2, 4>, tile<f32, 2, 4>, tile<f32, 2, 4>) [no-overload]"
  _ = tileMulAdd(i, tileTranspose(i), tile<i32, 2, 2>()); // want "`tileMulAdd` does not take (tile<i32, 2, 4>, tile<i32, 4, 2>, tile<i32, 2, 2>) [no-overload]"
  _ = tileMulAdd(half, tileTranspose(half), tile<f16, 2, 2>()); // want "`tileMulAdd` does not take (tile<f16, 2, 4>, tile<f16, 4, 2>, tile<f16, 2, 2>) [no-overload]"
  _ = tileRowSum(half); // want "`tileRowSum` does not take (tile<f16, 2, 4>) [no-overload]"
  _ = tileTranspose(1); // want "`tileTranspose` does not take (abstract-int) [no-overload]"
  _ = tileBroadcast<A>(tileRowSum(a)); // want "`tileBroadcast` cannot make tile<f32, 8, 16> of tile<f32, 2, 1> [type-mismatch]"
}

fn one(row: u32, column: u32, x: f32) -> f32 { return x; }
fn far(row: i32, column: u32, x: f32) -> f32 { return x; }
fn narrow(row: u32, column: u32, x: i32) -> f32 { return 1; }
fn silent(row: u32, column: u32, x: f32) {}
fn pair(row: u32, column: u32, x: f32) -> vec2f { return vec2f(); }
fn more(row: u32, column: u32, x: f32, y: f32) -> f32 { return x; }
fn most(row: u32, column: u32, x: f32, y: f32, z: f32) -> f32 { return x; }
fn storing(row: u32, column: u32, x: f32) -> f32 { y[row] = x; return x; }
fn counting(row: u32, column: u32, x: f32) -> f32 { atomicAdd(&count, 1); return x; }
fn waiting(row: u32, column: u32, x: f32) -> f32 { workgroupBarrier(); return x; }
fn painting(row: u32, column: u32, x: f32) -> f32 { textureStore(texels, vec2u(row, column), vec4f(x)); return x; }
fn tiling(row: u32, column: u32, x: f32) -> f32 { _ = tileSplat<A>(x); return x; }
fn private_one(row: u32, column: u32, x: f32) -> f32 { return own[0]; }
fn deep(row: u32, column: u32, x: f32) -> f32 { return storing(row, column, x); }

fn maps(a: tile<f32, 2, 4>, b: tile<f32, 4, 2>) {
  _ = tileMap(one, a);
  _ = tileMap(one); // want "`tileMap` takes a function and at least one tile, found 1 argument [argument-count]"
  _ = tileMap(a, a); // want "the first argument of `tileMap` is the name of a function of the program [type-mismatch]"
  _ = tileMap(exp, a); // want "the first argument of `tileMap` is the name of a function of the program [type-mismatch]"
  _ = tileMap(nothing, a); // want "there is no function or type named `nothing` [unknown-name]"
  _ = tileMap(main, a); // want "`main` is an entry point, which only the pipeline calls [not-callable]"
  _ = tileMap(one, 1); // want "the second argument of `tileMap` is a tile, found abstract-int [type-mismatch]"
  _ = tileMap(more, a, b); // want "the tiles of `tileMap` have one shape, and this is tile<f32, 4, 2> [type-mismatch]"
  _ = tileMap(one, a, a); // want "`tileMap` calls `one` with 4 arguments: row, column, 2 elements and 0 more; it takes 3 [argument-count]"
  _ = tileMap(far, a); // want "parameter 1 of `far` must be u32, for the row, and is i32 [type-mismatch]"
  _ = tileMap(narrow, a); // want "parameter 3 of `narrow` must be f32, for an element of tile 1, and is i32 [type-mismatch]"
  _ = tileMap(more, a, 1u); // want "cannot pass this as f32: the value is u32 [type-mismatch]"
  _ = tileMap(more, a, &y); // want "the further arguments of `tileMap` are values, found ptr<storage, array<f32>, read_write> [type-mismatch]"
  _ = tileMap(most, a, 1, a); // want "the further arguments of `tileMap` are values, found tile<f32, 2, 4> [type-mismatch]"
  _ = tileMap(silent, a); // want "`tileMap` makes a tile of the results of `silent`, whose elements are f32, f16, i32 or u32, found no value [type-mismatch]"
  _ = tileMap(pair, a); // want "`tileMap` makes a tile of the results of `pair`, whose elements are f32, f16, i32 or u32, found vec2<f32> [type-mismatch]"
  _ = tileMap<f32>(one, a); // want "`tileMap` takes no template arguments [invalid-type]"
  _ = tileMap(storing, a); // want "tileMap calls `storing` for single elements, and it must not write `y` [invalid-access]"
  _ = tileMap(deep, a); // want "tileMap calls `deep` for single elements, and it must not write `y` [invalid-access]"
  _ = tileMap(counting, a); // want "tileMap calls `counting` for single elements, and it must not write `count` [invalid-access]"
  _ = tileMap(waiting, a); // want "tileMap calls `waiting` for single elements, and it must not use `workgroupBarrier` [invalid-access]"
  _ = tileMap(painting, a); // want "tileMap calls `painting` for single elements, and it must not use `textureStore` [invalid-access]"
  _ = tileMap(tiling, a); // want "tileMap calls `tiling` for single elements, and it must not use `tileSplat` [invalid-access]"
  _ = tileMap(private_one, a); // want "tileMap calls `private_one` for single elements, and it must not use private memory, of which each invocation has its own [invalid-access]"
}

@compute @workgroup_size(32)
fn main(a: A) {} // want "an input of an entry point needs @builtin(…) or @location(…) [invalid-entry-point]"
@fragment
fn paint() { _ = tileSplat<A>(1); } // want "`tileSplat` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
