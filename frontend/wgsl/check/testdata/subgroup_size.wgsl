// The size of subgroups (WGSL §12.11). The extension brings the builtins along.
enable subgroup_size_control;
override size: i32 = 8;
override fraction = 8.0;
var<private> variable = 8u;
@compute @workgroup_size(64) @subgroup_size(16) fn literal(@builtin(subgroup_size) n: u32) { _ = subgroupAdd(n); }
@compute @workgroup_size(64) @subgroup_size(size * 2) fn overridden() {}
@compute @workgroup_size(12) @subgroup_size(8) fn no_multiple() {} // an error of the pipeline
@compute @workgroup_size(64) @subgroup_size(12) fn three_quarters() {} // want "a subgroup size is a positive power of two, found 12 [invalid-attribute]"
@compute @workgroup_size(64) @subgroup_size(-8i) fn negative() {} // want "a subgroup size is a positive power of two, found -8 [invalid-attribute]"
@compute @workgroup_size(64) @subgroup_size(fraction) fn float() {} // want "a subgroup size is an i32 or u32, found f32 [invalid-attribute]"
@compute @workgroup_size(64) @subgroup_size(variable) fn not_constant() {} // want "a subgroup size must be a const- or override-expression [not-constant]"
@fragment @subgroup_size(8) fn fragment() {} // want "@subgroup_size belongs on compute entry points [invalid-attribute]"
@subgroup_size(8) fn helper() {} // want "@subgroup_size belongs on compute entry points [invalid-attribute]"
