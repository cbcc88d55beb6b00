// Entry points and their interface (WGSL §13).
struct Input {
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) index: u32,
}
override width = 64;
@compute @workgroup_size(width, 1 + 1) fn good(in: Input, @builtin(num_workgroups) n: vec3u) {}
@compute @workgroup_size(8u, 4) fn same_type() {}

@compute fn no_size() {} // want "a compute entry point needs @workgroup_size(…) [invalid-entry-point]"
@workgroup_size(1) fn no_stage() {} // want "@workgroup_size belongs on compute entry points [invalid-attribute]"
@compute @workgroup_size(0) fn zero() {} // want "a workgroup size is at least 1, found 0 [invalid-attribute]"
@compute @workgroup_size(1.5) fn fraction() {} // want "a workgroup size is an i32 or u32, found abstract-float [invalid-attribute]"
@compute @workgroup_size(1u, 1i) fn mixed() {} // want "the workgroup sizes have different types: u32 and i32 [invalid-attribute]"
@compute @workgroup_size(global) fn variable() {} // want "a workgroup size must be a const- or override-expression [not-constant]"
var<private> global: i32;
@compute @workgroup_size(1, 1, 1, 1) fn four() {} // want "@workgroup_size takes 1 to 3 arguments, found 4 [invalid-attribute]"
@compute @vertex @workgroup_size(1) fn two_stages() {} // want "a function has one stage [invalid-entry-point]"
@compute @workgroup_size(1) fn result() -> @location(0) u32 { return 1; } // want "a compute entry point has no result [invalid-entry-point]"
@compute @workgroup_size(1) fn wrong_type(@builtin(local_invocation_id) id: vec3i) {} // want "the builtin value local_invocation_id is of type vec3<u32>, found vec3<i32> [invalid-entry-point]"
@compute @workgroup_size(1) fn wrong_stage(@builtin(vertex_index) i: u32) {} // want "the builtin value vertex_index is not an input of compute shaders [invalid-entry-point]"
@compute @workgroup_size(1) fn twice(in: Input, @builtin(local_invocation_index) i: u32) {} // want "the builtin value local_invocation_index is an input twice [invalid-entry-point]"
@compute @workgroup_size(1) fn plain(i: u32) {} // want "an input of an entry point needs @builtin(…) or @location(…) [invalid-entry-point]"
@compute @workgroup_size(1) fn located(@location(0) i: u32) {} // want "compute shaders have no user-defined inputs and outputs [invalid-entry-point]"
@compute @workgroup_size(1) fn unknown(@builtin(global_id) i: vec3u) {} // want "there is no builtin value `global_id` [invalid-attribute]"
@compute @workgroup_size(1) fn extension(@builtin(subgroup_size) i: u32) {} // want "the builtin value subgroup_size needs the extension subgroups [missing-extension]"
fn no_entry(@builtin(local_invocation_index) i: u32) {} // want "only the parameters of entry points have attributes of the interface [invalid-attribute]"

struct Vertex {
  @builtin(position) position: vec4f,
  @location(0) uv: vec2f,
  @location(1) @interpolate(flat) id: u32,
}
@vertex fn vertex(@location(0) p: vec4f, @builtin(vertex_index) i: u32) -> Vertex {
  return Vertex(p, p.xy, i);
}
@fragment fn fragment(v: Vertex) -> @location(0) vec4f {
  if v.uv.x < 0 { discard; }
  return dpdx(v.position);
}
@vertex fn no_position() -> @location(0) vec4f { return vec4f(); } // want "a vertex entry point has the result @builtin(position) [invalid-entry-point]"
@vertex fn derivative() -> @builtin(position) vec4f { return dpdx(vec4f()); } // want "`dpdx` is for fragment shaders, and a vertex entry point uses it [invalid-entry-point]"
@fragment fn not_flat(@location(0) i: u32) {} // want "integers between vertex and fragment shaders need @interpolate(flat) [invalid-entry-point]"
struct Crossing {
  @builtin(position) position: vec4f,
  @location(0) index: u32, // want "integers between vertex and fragment shaders need @interpolate(flat) [invalid-entry-point]"
}
@vertex fn crossing_from() -> Crossing { return Crossing(); }
@fragment fn crossing_to(c: Crossing) {}
@fragment fn same_location(@location(0) a: f32, @location(0) b: f32) {} // want "location 0 is used twice [invalid-entry-point]"
@fragment fn no_numbers(@location(0) a: bool) {} // want "inputs and outputs are numeric scalars and vectors, found bool [invalid-entry-point]"
@fragment fn barrier() { workgroupBarrier(); } // want "`workgroupBarrier` is for compute shaders, and a fragment entry point uses it [invalid-entry-point]"
@fragment fn on_structure(@location(0) v: Vertex) {} // want "the attributes of the interface belong on the members of the structure Vertex [invalid-attribute]"
struct Twice { @location(0) a: f32, @location(0) b: f32 } // want "location 0 is used twice [invalid-entry-point]"

@group(0) @binding(0) var<uniform> first: vec4f;
@group(0) @binding(0) var<uniform> second: vec4f; // want "two resources of the entry point `collides` have @group(0) @binding(0) [invalid-binding]"
@group(0) @binding(0) var<storage, read_write> third: array<vec4f>;
fn uses() -> vec4f { return second; }
@compute @workgroup_size(1) fn collides() { let a = first + uses(); }
@compute @workgroup_size(1) fn no_collision() { let a = first; }
var<workgroup> shared_memory: u32; // want "the fragment entry point `no_workgroup` uses the variable `shared_memory`, which that stage cannot [invalid-entry-point]"
@fragment fn no_workgroup() { shared_memory = 1; }
var<workgroup> large: array<vec4f, 2000>;
@compute @workgroup_size(1) fn too_much_memory() { large[0].x = 1; } // want "the entry point uses 32000 bytes of workgroup memory, and every device supports 16384 [limit-exceeded]"
@compute @workgroup_size(300) fn too_many() {} // want "the workgroup has 300 invocations, and every device supports 256 [limit-exceeded]" "the workgroup size 300 is beyond 256, which is what every device supports in this dimension [limit-exceeded]"
@fragment fn depth_less() -> @builtin(frag_depth, less) f32 { return 0.5; }
@fragment fn depth_greater() -> @builtin(frag_depth, greater) f32 { return 0.5; }
@fragment fn depth_any() -> @builtin(frag_depth, any) f32 { return 0.5; } // want "the depth mode is less or greater, found `any` [invalid-attribute]"
@fragment fn mask_mode() -> @builtin(sample_mask, less) u32 { return 1; } // want "only @builtin(frag_depth) has a second argument, its depth mode [invalid-attribute]"

// The types of members with attributes of the interface are a rule of the structure,
// whether an entry point uses it or not.
struct UnusedIO {
  @location(0) matrix: mat4x4f, // want "inputs and outputs are numeric scalars and vectors, found mat4x4<f32> [invalid-entry-point]"
  @location(1) array: array<f32, 2>, // want "inputs and outputs are numeric scalars and vectors, found array<f32, 2> [invalid-entry-point]"
  @location(2) bool: vec2<bool>, // want "inputs and outputs are numeric scalars and vectors, found vec2<bool> [invalid-entry-point]"
  @location(3) nested: Vertex, // want "inputs and outputs are numeric scalars and vectors, found Vertex [invalid-entry-point]"
  @location(4) @interpolate(flat) atomic: atomic<u32>, // want "inputs and outputs are numeric scalars and vectors, found atomic<u32> [invalid-entry-point]"
  @builtin(local_invocation_index) index: f32, // want "the builtin value local_invocation_index is of type u32, found f32 [invalid-entry-point]"
  @builtin(position) @invariant position: vec3f, // want "the builtin value position is of type vec4<f32>, found vec3<f32> [invalid-entry-point]"
  @builtin(front_facing) front: u32, // want "the builtin value front_facing is of type bool, found u32 [invalid-entry-point]"
  @builtin(global_invocation_id) id: vec3<i32>, // want "the builtin value global_invocation_id is of type vec3<u32>, found vec3<i32> [invalid-entry-point]"
}
struct UnusedRightIO {
  @location(0) scalar: i32,
  @location(1) vector: vec4u,
  @location(2) @interpolate(linear, centroid) float: vec2f,
  @builtin(local_invocation_index) index: u32,
  @builtin(position) @invariant position: vec4f,
  @builtin(frag_depth) depth: f32,
  nothing: mat4x4f,
}
// Reported once, at the structure, although two entry points use it.
struct UsedWrongIO {
  @builtin(position) position: vec4f,
  @location(0) matrix: mat2x2f, // want "inputs and outputs are numeric scalars and vectors, found mat2x2<f32> [invalid-entry-point]"
}
@vertex fn wrong_from() -> UsedWrongIO { return UsedWrongIO(); }
@fragment fn wrong_to(in: UsedWrongIO) {}
@fragment fn wrong_parameter(@location(0) m: mat2x2f) -> @location(0) bool { return true; } // want "inputs and outputs are numeric scalars and vectors, found mat2x2<f32> [invalid-entry-point]" "inputs and outputs are numeric scalars and vectors, found bool [invalid-entry-point]"
