// What is declared and not used.

override used_size = 64u;
override unused_size = 2u; // want "the override `unused_size` is never used [unused-override]"
override part = used_size * 2u;
const TABLE = array(1, 2, 3); // constants of a module are shared

@group(0) @binding(0) var<storage, read_write> written: array<u32>;
@group(0) @binding(1) var<storage> left: array<u32>; // want "no function uses the binding `left` [unused-binding]"
@group(0) @binding(2) var also_left: sampler;
@group(0) @binding(3) var<uniform> phony: vec4f;

var<workgroup> shared_words: array<u32, part>;
var<workgroup> lost: array<u32, 4>; // want "the variable `lost` is never used [unused-variable]"
var<private> kept: u32;
var<private> dropped: u32; // want "the variable `dropped` is assigned to and never read [unused-variable]"
var<private> _known: u32;

fn called() -> u32 { return 1u; }
fn never() -> u32 { return only_by_never(); } // want "the function `never` is never called [unused-function]"
fn only_by_never() -> u32 { return 3u; }
fn through(p: ptr<function, u32>) { *p = 4u; }

@compute @workgroup_size(used_size)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
  _ = phony;
  shared_words[i] = called();
  workgroupBarrier();
  let a = 1u; // want "the value `a` is never used [unused-variable]"
  const b = 2u; // want "the constant `b` is never used [unused-variable]"
  const c = 2u;
  var d = c; // want "the variable `d` is never used [unused-variable]"
  var e = vec2u(); // want "the variable `e` is assigned to and never read [unused-variable]"
  e.x = 1u;
  e.y += 2u;
  var f: array<u32, 3>; // want "the variable `f` is assigned to and never read [unused-variable]"
  f[i] = 3u;
  f[i]++;
  var g = 0u;
  through(&g);
  var h = 0u;
  let q = &h;
  *q = 5u;
  let _i = 1;
  dropped = 1u;
  kept = 2u;
  for (var unused_counter = 0; ; ) { break; } // want "the variable `unused_counter` is never used [unused-variable]"
  written[i] = shared_words[i ^ 1u] + kept + g;
  written[i] = written[i + 1u];
}
