// Attributes: where they belong and what they take (WGSL §12).
struct Good { @align(16) a: f32, @size(32) b: vec3f, @align(8) @size(8) c: u32 }
struct Bad {
  @align(3) a: f32, // want "an alignment is a power of two, found 3 [invalid-attribute]"
  @align(2) b: f32, // want "the alignment must be a multiple of that of f32, which is 4, found 2 [invalid-attribute]"
  @size(2) c: f32, // want "the size must be at least that of f32, which is 4, found 2 [invalid-attribute]"
  @size(-4) d: f32, // want "the argument of @size must be at least 1, found -4 [invalid-attribute]"
  @align(16, 16) e: f32, // want "@align takes 1 argument, found 2 [invalid-attribute]"
  @align g: f32, // want "@align takes 1 argument, found 0 [invalid-attribute]"
  @size(4) @size(4) h: f32, // want "@size is here twice [invalid-attribute]"
  @id(1) i: f32, // want "@id does not belong on a structure member [invalid-attribute]"
  @inline j: f32, // want "`inline` is a reserved word and cannot be used as a name [reserved-name]" "there is no attribute `inline` [unknown-attribute]"
  @alig(16) k: f32, // want "there is no attribute `alig` [unknown-attribute]"
  @size(16) l: array<f32>, // want "@size needs a type whose size is a constant, found array<f32> [invalid-attribute]"
}
@size(4) fn on_function() {} // want "@size does not belong on a function [invalid-attribute]"
@group(-1) @binding(0) var<storage> a: u32; // want "the argument of @group must be at least 0, found -1 [invalid-attribute]"
@group(0) @binding(1.5) var<storage> b: u32; // want "the argument of @binding must be an i32 or u32, found abstract-float [type-mismatch]"
@group(b) @binding(1) var<storage> c: u32; // want "the argument of @group must be a const-expression [not-constant]"
@workgroup_size(1) @compute @compute fn compute_twice() {} // want "@compute is here twice [invalid-attribute]"
@compute() @workgroup_size(1) fn parentheses() {} // want "@compute takes no arguments and no parentheses [invalid-attribute]"
@fragment fn sampling(@location(0) @interpolate(perspective, centroid) a: f32,
  @location(1) @interpolate(linear) b: f32,
  @location(2) @interpolate(curved) c: f32, // want "expected perspective, linear or flat, found `curved` [invalid-attribute]"
  @location(3) @interpolate(flat, center) d: f32, // want "with flat, expected first or either, found `center` [invalid-attribute]"
  @interpolate(flat) @builtin(front_facing) e: bool, // want "@interpolate needs @location [invalid-attribute]"
  @invariant @location(4) f: f32, // want "@invariant belongs on @builtin(position) [invalid-attribute]"
  @builtin(position) @location(5) g: vec4f, // want "@builtin and @location exclude each other [invalid-attribute]"
  @builtin(1 + 1) h: f32, // want "the arguments of @builtin are names, found an expression [invalid-attribute]"
) {}
struct Blend { @location(0) @blend_src(0) a: f32 } // want "@blend_src needs the extension dual_source_blending [missing-extension]"
@fragment fn attributes_on_statements() {
  @diagnostic(off, derivative_uniformity) if true { }
  @diagnostic(off, derivative_uniformity) @diagnostic(off, derivative_uniformity) { } // want "the filter is here twice [invalid-diagnostic-filter]"
  @diagnostic(off, derivative_uniformity) @diagnostic(info, derivative_uniformity) { } // want "two filters for derivative_uniformity contradict each other [invalid-diagnostic-filter]"
  @diagnostic(none, derivative_uniformity) { } // want "expected a severity: error, warning, info or off, found `none` [invalid-diagnostic-filter]"
  @workgroup_size(1) { } // want "@workgroup_size does not belong on a statement [invalid-attribute]"
}
