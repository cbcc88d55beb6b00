// Functions: calls, stages, aliased pointers (WGSL §11).
var<private> global: i32;

fn reads(p: ptr<private, i32>) -> i32 { return *p; }
fn writes(p: ptr<private, i32>) { *p = 1; }
fn reads_both(p: ptr<private, i32>) -> i32 { return *p + global; }
fn writes_global(p: ptr<private, i32>) { global = *p; }
fn writes_one(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
fn reads_two(p: ptr<function, i32>, q: ptr<function, i32>) -> i32 { return *p + *q; }
fn passes_on(p: ptr<function, i32>, q: ptr<function, i32>) { writes_one(p, q); }

fn aliases() {
  var a = 1;
  var b = 2;
  _ = reads(&global);
  writes(&global);
  _ = reads_both(&global);
  writes_global(&global); // want "argument 1 points to `global`, which the function also uses by its name, and one of them is written [aliasing]"
  writes_one(&a, &b);
  writes_one(&a, &a); // want "arguments 1 and 2 point into the same variable, and the function writes through one of them [aliasing]"
  _ = reads_two(&a, &a);
  passes_on(&b, &b); // want "arguments 1 and 2 point into the same variable, and the function writes through one of them [aliasing]"
  let p = &a;
  passes_on(p, &a); // want "arguments 1 and 2 point into the same variable, and the function writes through one of them [aliasing]"
}
fn arguments(p: ptr<function, i32>, x: f32) {
  arguments(p, 1, 2); // want "`arguments` takes 2 arguments, found 3 arguments [argument-count]" "the function `arguments` calls itself [recursion]"
}
fn wrong_types() {
  var u = 1u;
  var i = 1;
  takes(&u, 1); // want "cannot pass this as ptr<function, i32>: the value is ptr<function, u32> [type-mismatch]"
  takes(&i, true); // want "cannot pass this as f32: the value is bool [type-mismatch]"
  takes(&global, 1); // want "cannot pass this as ptr<function, i32>: the value is ptr<private, i32> [type-mismatch]"
  takes(&i, 1);
  entry(); // want "`entry` is an entry point, which only the pipeline calls [not-callable]"
}
fn takes(p: ptr<function, i32>, x: f32) {}
@compute @workgroup_size(1) fn entry() {}
@must_use fn nothing() {} // want "@must_use belongs on functions with a result [invalid-attribute]"
