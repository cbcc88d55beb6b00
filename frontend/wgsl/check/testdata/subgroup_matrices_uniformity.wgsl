// All that makes subgroup matrices or works on them is reached by whole subgroups.
enable subgroups, chromium_experimental_subgroup_matrix;
alias Left = subgroup_matrix_left<f32, 8, 8>;
@group(0) @binding(0) var<storage> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<f32, 64>;

fn shifted(m: Left, by: f32) -> Left { return subgroupMatrixScalarAdd(m, by); }

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) s: u32) {
  var m = subgroupMatrixLoad<Left>(&in, s * 64, false, 8); // uniform in the subgroup
  if s == 0 {
    m = subgroupMatrixScalarAdd(m, 1);
  }
  subgroupMatrixStore(&tile, 0, m, false, 8);
  if i == 0 {
    m = Left(); // want "`Left` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
  }
  _ = subgroupMatrixLoad<Left>(&in, i, false, 8); // want "`subgroupMatrixLoad` needs an argument that is the same for all invocations of a subgroup, and this one may differ [non-uniform]"
  _ = shifted(Left(2), in[i]); // want "`subgroupMatrixScalarAdd` needs an argument that is the same for all invocations of a subgroup, and this one may differ [non-uniform]"
  _ = Left(in[i]); // want "`Left` needs an argument that is the same for all invocations of a subgroup, and this one may differ [non-uniform]"
}

struct Held { n: u32, several: array<Left, 2> }

@compute @workgroup_size(32)
fn held(@builtin(local_invocation_index) i: u32) {
  if i < 4 {
    var one: Left; // want "`one` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
    var number: u32;
  }
}
@compute @workgroup_size(32)
fn held_in_an_array(@builtin(local_invocation_index) i: u32) {
  if i < 4 {
    var more: array<Held, 2>; // want "`more` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
  }
}
@compute @workgroup_size(32)
fn made(@builtin(local_invocation_index) i: u32) {
  if i < 4 {
    _ = Held(); // want "`Held` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
  }
  var h = Held(i, array<Left, 2>());
  let copied = h;
}

@compute @workgroup_size(32) @diagnostic(off, chromium.subgroup_matrix_uniformity)
fn off(@builtin(local_invocation_index) i: u32) {
  _ = Left(in[i]);
}
