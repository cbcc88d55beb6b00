enable f16, subgroups, vendor_cooperative_matrix; // want "there is no extension named `vendor_cooperative_matrix` [unknown-extension]"
requires elsewhere_entirely; // want "the language feature `elsewhere_entirely` is not supported [unknown-extension]"

@group(0) @binding(0) var<storage, read_write> y: array<f16>;
alias Left = cooperative_matrix_left<f16, 8, 8>;
var<workgroup> tile: array<f16, 64>;

struct S { @experimental(3) x: f32 }

@compute @workgroup_size(32) fn main(@builtin(matrix_row_of_all) s: u32) {
  var sums: array<cooperative_matrix_result<f32, 8, 8>, 4>;
  for (var k = 0u; k < 4; k++) {
    let a: Left = cooperativeMatrixLoad<Left>(&y, k * 8, false, 8);
    let b = cooperativeMatrixLoad<cooperative_matrix_right<f16, 8, 8>>(&tile, k * 8, true, 8);
    sums[k] = cooperativeFma(a, b, sums[k]);
  }
  let x = undefined_thing; // want "there is no value named `undefined_thing` [unknown-name]"
  let z = subgroupAd(1.0); // want "there is no function or type named `subgroupAd` [unknown-name]"
  let w: vec4h = float4(); // want "there is no function or type named `float4` [unknown-name]"
  cooperativeMatrixStore(&y, 0, sums[0], false, 8);
}
