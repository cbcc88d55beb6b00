// Memory that vectors of three leave empty in structures that a host fills.
enable f16;

struct Empty {
  position: vec3f, // want "beside this vec3 the structure `Empty` has memory that is empty: it takes 48 bytes, and could do with 32 [vec3-padding]"
  velocity: vec3f,
  mass: f32,
  age: f32,
}
struct Before {
  kind: u32,
  normal: vec3f, // want "the structure `Before` has memory that is empty: it takes 32 bytes, and could do with 16 [vec3-padding]"
}
struct Half {
  scale: f16,
  axis: vec3h, // want "the structure `Half` has memory that is empty: it takes 16 bytes, and could do with 8 [vec3-padding]"
}
struct Full { a: vec3f, b: f32, c: vec3u, d: u32 }
struct NoBetter { a: vec3f, b: vec3f }
struct Known { a: vec3f, @align(16) b: vec3f, c: f32, d: f32 }
struct Named { a: vec3f, padding: f32, b: vec3f, c: vec3f, d: f32, e: f32 }
struct Own { a: vec3f, b: vec3f, c: f32, d: f32 }
struct Outer { one: Full, many: array<Empty, 2>, no: NoBetter, known: Known, named: Named, half: Half, before: Before }

@group(0) @binding(0) var<storage, read_write> values: array<Outer>;

@compute @workgroup_size(1)
fn main() {
  var own = Own();
  own.a = values[0].one.a;
  values[1].one.a = own.a;
}
