// What needs an extension that the file does not enable (WGSL §4.1).
var<private> a: f16; // want "f16 needs the extension f16 [missing-extension]"
fn f() -> u32 { return subgroupAdd(1); } // want "`subgroupAdd` needs the extension subgroups [missing-extension]" "cannot return from a function with result u32: the value is i32 [type-mismatch]"
struct S { @builtin(clip_distances) c: array<f32, 2> } // want "the builtin value clip_distances needs the extension clip_distances [missing-extension]"
@compute @workgroup_size(8) @subgroup_size(8) fn g() {} // want "@subgroup_size needs the extension subgroup_size_control [missing-extension]"
fn h() -> tile<f32, 2, 2> { return tileSplat<tile<f32, 2, 2>>(1); } // want "`tile` needs the extension gpuc_tile [missing-extension]"
