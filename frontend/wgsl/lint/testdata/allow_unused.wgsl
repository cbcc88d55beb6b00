// Comments that silence nothing are warned of themselves.

fn loud(a: f32) -> f32 {
  // gpuc:allow float-equality // want "nothing warns of `float-equality` on line 5 [unused-allow]"
  let b = a;
  let c = b; // gpuc:allow unused-variabel // want "there is no diagnostic `unused-variabel` to allow [unused-allow]"
  let d = c; // gpuc:allow // want "this comment names no code, and so allows nothing [unused-allow]"
  let e = 1; // gpuc:allow unused-variable, float-equality // want "nothing warns of `float-equality` on line 8 [unused-allow]"
  // gpuc:allow unused-variable
  // gpuc:allow unreachable-code // want "nothing warns of `unreachable-code` on line 11 [unused-allow]"
  let f = 1;
  // a sentence that speaks of gpuc:allow float-equality is none
  /* nor is gpuc:allow float-equality here */
  return d;
}
