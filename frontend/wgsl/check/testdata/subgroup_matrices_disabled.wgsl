// Names of the extension without it, of which the first is reported. The rule needs no extension.
diagnostic(off, chromium.subgroup_matrix_uniformity);
@group(0) @binding(0) var<storage> in: array<f32>;
fn load() {
  _ = subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>>(&in, 0, false, 8); // want "`subgroup_matrix_left` needs the extension chromium_experimental_subgroup_matrix [missing-extension]"
}
