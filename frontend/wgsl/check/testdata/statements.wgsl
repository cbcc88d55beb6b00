// Statements and how control leaves them (WGSL §9).

fn behaviour(x: i32) -> i32 {
  if x > 1 { return 1; } else if x > 2 { return 2; } else { return 3; }
}
fn missing(x: i32) -> i32 {
  if x > 1 { return 1; }
} // want "the function `missing` can reach its end without returning a value [missing-return]"
fn loop_returns() -> i32 { loop { return 1; } }
fn switch_returns(x: i32) -> i32 {
  switch x { case 1, 2: { return 1; } default { return 2; } }
}
fn switch_breaks(x: i32) -> i32 {
  switch x { case 1: { break; } default { return 2; } }
} // want "the function `switch_breaks` can reach its end without returning a value [missing-return]"
fn endless() {
  loop { } // want "the loop never ends [invalid-loop]"
}
fn endless_for() { 
  for (;;) { } // want "the loop never ends [invalid-loop]"
}
fn leaves_by_break_if() { loop { continuing { break if true; } } }
fn jumps() {
  break; // want "`break` is outside of a loop or switch [misplaced-statement]"
  continue; // want "`continue` is outside of a loop [misplaced-statement]"
  switch 1 { default { continue; } } // want "`continue` is outside of a loop [misplaced-statement]"
  loop {
    continuing {
      break; // want "`break` cannot leave a continuing block [misplaced-statement]"
      continue; // want "`continue` cannot leave a continuing block [misplaced-statement]"
      return; // want "a continuing block cannot return [misplaced-statement]"
    }
  }
  loop {
    continuing {
      loop { break; }
      switch 1 { default { break; } }
      break if true;
    }
  }
}
fn bypass(x: i32) {
  loop {
    if x > 1 { continue; } // want "this `continue` skips the declaration of `step`, which the continuing block uses [invalid-loop]"
    let step = 1;
    continuing { let next = step; break if next > 1; }
  }
  loop {
    let step = 1;
    if x > 1 { continue; }
    continuing { let next = step; break if next > 1; }
  }
}
fn switches(i: i32, u: u32, f: f32, b: bool) {
  const two = 2;
  switch i { case 1, two: {} case 3: {} default: {} }
  switch u { case 1, 2u: {} default {} }
  switch 1 { case 1u: {} default {} }
  switch i { case 1: {} } // want "the switch has no default clause [invalid-switch]"
  switch i { default {} default {} } // want "the switch has two default clauses [invalid-switch]"
  switch i { case 1, 1: {} default {} } // want "the switch has two cases for 1 [invalid-switch]"
  switch i { case 1u: {} default {} } // want "the switch selects by i32, found a case of type u32 [invalid-switch]"
  switch f { default {} } // want "a switch selects by an i32 or u32, found f32 [invalid-switch]"
  switch i { case i: {} default {} } // want "a case selector must be a const-expression [not-constant]"
  switch i { case 1.5: {} default {} } // want "a case selector is an i32 or u32, found abstract-float [invalid-switch]"
  switch i { case 1, default, 2: {} }
}
fn conditions(i: i32) {
  if i { } // want "the condition of if must be a bool, found i32 [type-mismatch]"
  while 1 { } // want "the condition of while must be a bool, found abstract-int [type-mismatch]"
  for (var j = 0; j; j++) { } // want "the condition of for must be a bool, found i32 [type-mismatch]"
  loop { continuing { break if i; } } // want "the condition of break if must be a bool, found i32 [type-mismatch]"
}
@must_use fn important() -> i32 { return 1; }
fn ignorable() -> i32 { return 1; }
fn calls() {
  important(); // want "the result of `important` must be used [unused-result]"
  ignorable();
  ignorable(1); // want "`ignorable` takes 0 arguments, found 1 argument [argument-count]"
  _ = important();
  _ = 1 << 40u;
  _ = array(1e300, 2);
  let a = calls2(); // want "the function `calls2` has no result [not-a-value]"
  i32(1); // want "a value that is made must be used [unused-result]"
}
fn calls2() { return; }
fn returns(x: i32) -> i32 {
  if x > 1 { return; } // want "the function `returns` returns a value [type-mismatch]"
  if x > 2 { return 1.5; } // want "cannot return from a function with result i32: the value is abstract-float [type-mismatch]"
  if x > 3 { return 1u; } // want "cannot return from a function with result i32: the value is u32 [type-mismatch]"
  return 1;
}
fn returns_nothing() {
  return 1; // want "the function `returns_nothing` has no result [type-mismatch]"
}
fn assignments(x: i32) {
  var a = 1;
  var v = vec2(1, 2);
  a += 1;
  a = 1u; // want "cannot assign to memory of type i32: the value is u32 [type-mismatch]"
  a += 1u; // want "the operator `+=` does not take i32 and u32 [no-overload]"
  a += 1.5; // want "the operator `+=` does not take i32 and abstract-float [no-overload]"
  v *= 2;
  v += vec2(1, 1);
  a <<= 1;
  a <<= 1i; // want "the operator `<<=` does not take i32 and i32 [no-overload]"
  a &= true; // want "the operator `&=` does not take i32 and bool [no-overload]"
  var b = true;
  b++; // want "`++` and `--` need an i32 or u32, found bool [type-mismatch]"
  b &= false;
  x++; // want "`x` is a parameter and cannot be assigned to [not-assignable]"
  const_assert true;
  const_assert x > 0; // want "the condition of const_assert must be a const-expression [not-constant]"
}
