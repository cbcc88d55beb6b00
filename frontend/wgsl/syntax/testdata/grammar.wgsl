// Every rule of the grammar once, so that the printed tree shows each of them.
enable f16, subgroups,;
requires readonly_and_readwrite_storage_textures;
diagnostic(off, derivative_uniformity);
diagnostic(warning, vendor.rule,);

;;
/* a comment /* in a comment */ goes on */
alias Row = array<vec4<f32>, 2 * 3>;
struct Light {
  @align(16) position: vec3f,
  @size(16) colour: vec3<f32>,
  weights: array<array<f32, 4>, (3 > 2 && true)>,
};
struct Last { a: u32 }
const N: u32 = 0x10u;
@id(7) override scale: f32 = 1.5;
override unset: bool;
const_assert N > 3u;
@group(0) @binding(1,) var<storage, read_write> data: array<Light>;
var<private> counter = 0i;
var<workgroup> tile: array<array<f32, N>, N>;

@must_use
fn add(a: i32, @location(0) b: i32,) -> i32 { return a + b; }

@vertex
fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i), 0., .5, 1.e0);
}

@fragment
fn fs(@location(0) @interpolate(perspective, sample) c: vec4f) -> @location(0) vec4f @diagnostic(off, a.b) {
  discard;
}

@compute @workgroup_size(8, 8, N / 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  ;
  var a: i32;
  var<function> b = 1;
  let c = add(1, 2);
  const d: f16 = 1.5h;
  const_assert d > 1h;
  _ = c;
  a = -b;
  a += b; a -= b; a *= b; a /= b; a %= b; a &= b; a |= b; a ^= b; a <<= 1u; a >>= 1u;
  a++;
  data[id.x].position.x--;
  *(&a) = 3;
  (a) = 4;
  &*pointer().x = 5;
  add(1, 2);
  vec2<f32>(1, 2,);
  @diagnostic(off, derivative_uniformity) if a < b && b < 3 { a = 1; } else if a == 1 { } else @diagnostic(info, x) { a = 2; }
  @diagnostic(info, x) switch a @diagnostic(info, y) {
    case 1, 2, default, { break; }
    case 3: { }
    case 4, 5,: @diagnostic(info, z) { }
  }
  switch (a) { default: { } }
  @diagnostic(info, x) loop @diagnostic(info, y) {
    continue;
    continuing @diagnostic(info, z) { a++; break if a > 3; }
  }
  loop { break; }
  for (;;) { break; }
  for (var i = 0; i < 4; i++) { }
  for (a = 1; a < 4; add(1, 2)) @diagnostic(info, z) { }
  for (add(1, 2); ; a += 1) { }
  while a < 3 { }
  { { } }
  @diagnostic(info, z) { return; }
}
