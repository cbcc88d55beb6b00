// Comments that silence warnings.

fn silent(a: f32, b: f32) -> bool {
  let on_the_line = 1; // gpuc:allow unused-variable
  // gpuc:allow unused-variable the reason stands behind the code
  let on_the_next = 1;
  let with_reason = 1; // gpuc:allow unused-variable: as a colon is no code
  // gpuc:allow float-equality
  // gpuc:allow unused-variable
  let both = a * b == 1.5;
  // gpuc:allow unused-variable, float-equality
  let list = a * b == 1.5;
  //gpuc:allow unused-variable
  let tight = 1;
  let two_lines = 1; // want "the value `two_lines` is never used [unused-variable]"
  // gpuc:allow unused-variable // want "nothing warns of `unused-variable` on line 17 [unused-allow]"

  let other = 1; // want "the value `other` is never used [unused-variable]"
  return a == b;
}
