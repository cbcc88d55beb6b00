// A file without entry points is a part of others, which may use what it declares.

override size = 2u;
@group(0) @binding(0) var<storage> values: array<u32>;
var<private> state: u32;
fn helper(x: u32) -> u32 {
  let y = 1u; // want "the value `y` is never used [unused-variable]"
  return x;
}
