// Names: scopes, shadowing, order at module scope (WGSL §5).

const later = first + 1; // module scope has no order
const first = 1;
const_assert later == 2;

const cycle_a = cycle_b; // want "the declaration of `cycle_a` depends on itself [declaration-cycle]"
const cycle_b = cycle_a;
const twice = 1;
const twice = 2; // want "`twice` is declared twice in this scope [redeclared]"
alias Number = f32;
struct Pair { a: Number, b: Number }
struct Double { a: f32, a: f32 } // want "the structure has two members `a` [redeclared]"
struct Loop { next: Loop } // want "the declaration of `Loop` depends on itself [declaration-cycle]"

fn shadow(x: i32) -> i32 {
  let y = x;
  {
    let y = 2.0;
    let x = y;
    _ = x;
  }
  for (var y = 0; y < 2; y++) { let y = 1; _ = y; }
  return y;
}
fn parameter_scope(x: i32) {
  let x = 1; // want "`x` is declared twice in this scope [redeclared]"
}
fn before_its_end() {
  let a = a; // want "there is no value named `a` [unknown-name]"
}
fn vec3() {} // predeclared names can be shadowed
fn uses_shadowed() { vec3(); }

fn unknown() {
  let colour = 1;
  let a = color; // want "there is no value named `color` [unknown-name]"
  let b = array<flaot, 2>(); // want "there is no type named `flaot` [unknown-name]"
  let c = foo(1); // want "there is no function or type named `foo` [unknown-name]"
  let d = lerp(1.0, 2.0, 0.5); // want "there is no function or type named `lerp` [unknown-name]"
  let e = color; // reported once
}
fn wrong_kind() {
  let a = f32; // want "`f32` is a type, and a value is needed here [not-a-value]"
  let b = shadow; // want "`shadow` is a function, and a value is needed here [not-a-value]"
  let c = Pair; // want "`Pair` is a type, and a value is needed here [not-a-value]"
  let d: first = 1; // want "`first` is a constant, and a type is needed here [not-a-type]"
  first(); // want "`first` is a constant, and cannot be called [not-callable]"
  let e = max; // want "`max` is a builtin function, and a value is needed here [not-a-value]"
  let f = private; // want "`private` is an address space, and a value is needed here [not-a-value]"
  let g: array<storage, 2> = 1; // want "`storage` is an address space, and a type is needed here [not-a-type]"
  let h = read(); // want "`read` is an access mode, and cannot be called [not-callable]"
  let i: Pair<f32> = Pair(); // want "`Pair` takes no template arguments [invalid-type]"
  let j = first<1>; // want "`first` is a constant and takes no template arguments [invalid-type]"
}
fn recursive() { mutual(); } 
fn mutual() { recursive(); } // want "the function `recursive` calls itself through others [recursion]"
fn itself() { itself(); } // want "the function `itself` calls itself [recursion]"
