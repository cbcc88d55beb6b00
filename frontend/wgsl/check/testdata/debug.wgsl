// What the extension gpuc_debug brings along.
enable gpuc_debug;
struct S { a: f32 }
@group(0) @binding(0) var<storage> s: array<S>;
override o = 4;
fn good(i: u32, v: vec3<f32>) {
  printf("%v %d %5.2f %t %v %x", i, 1, v.x, v.x > 1, v, o);
  assert(i < 4, "i is %d of 100%%\n", i,);
  if i > 1 { printf("\"%c\" \u00e4", 65); }
}
fn bad(i: u32, p: ptr<function, f32>) {
  printf(i); // want "the format of `printf` is a string, and this is none [type-mismatch]"
  printf(); // want "`printf` takes a format, found 0 arguments [argument-count]"
  assert(i < 2); // want "`assert` takes a format, found 1 argument [argument-count]"
  assert(i, "a"); // want "the condition of assert must be a bool, found u32 [type-mismatch]"
  printf("%d", 1.5); // want "`%d` takes an integer, and this is f32 [invalid-format]"
  printf("%v"); // want "the format has a verb `%v` for which there is no value [invalid-format]"
  printf("", i); // want "the format has no verb for this value [invalid-format]"
  printf("%s", i); // want "messages have no verb `%s` [invalid-format]"
  printf("%v", s[0]); // want "`printf` shows numbers, bools and vectors, found S [type-mismatch]"
  printf("%v", p); // want "`printf` shows numbers, bools and vectors, found ptr<function, f32> [type-mismatch]"
  printf("%v", j); // want "there is no value named `j` [unknown-name]"
  printf("%v", "a"); // want "a string is the format of printf or assert, and nothing else [invalid-type]"
  printf<f32>("a"); // want "`printf` takes no template arguments [invalid-type]"
  let a = "text"; // want "a string is the format of printf or assert, and nothing else [invalid-type]"
  let b = printf("a"); // want "the function `printf` has no result [not-a-value]"
}
fn hidden(printf: u32) -> u32 { return printf; }
