// Matrices that are in part outside of their arrays. Loads take the last element for what is
// outside, and stores leave it out. Products of rows and strides wrap.
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f32, 8, 8>;
alias Right = subgroup_matrix_right<f32, 8, 8>;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> places: array<u32>; // pairs of offset and stride
@group(0) @binding(2) var<storage, read_write> loaded: array<f32>;
@group(0) @binding(3) var<storage, read_write> stored: array<f32>;

struct Shared {
  before: array<f32, 8>,
  elements: array<f32, 100>,
  after: array<f32, 8>,
}
var<workgroup> shared_elements: Shared;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) local: u32, @builtin(subgroup_id) subgroup: u32,
        @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = local; i < 100u; i += 32u) {
    shared_elements.elements[i] = a[i] + 1;
  }
  workgroupBarrier();
  if subgroup == 0u {
    for (var n = group.x; n < arrayLength(&places) / 2u; n += groups.x) {
      let offset = places[2u * n];
      let stride = places[2u * n + 1u];
      let left = subgroupMatrixLoad<Left>(&a, offset, false, stride);
      let right = subgroupMatrixLoad<Right>(&shared_elements.elements, offset, true, stride);
      subgroupMatrixStore(&loaded, n * 128u, left, false, 8);
      subgroupMatrixStore(&loaded, n * 128u + 64u, right, false, 8);
    }
  }
  if subgroup == 0u && group.x == 0u {
    // the last rows are outside, and columns of others
    let sum = subgroup_matrix_result<f32, 8, 8>(3);
    subgroupMatrixStore(&stored, 190, sum, false, 9);
    subgroupMatrixStore(&stored, 4294967290u, sum, true, 10);
  }
  workgroupBarrier();
  if subgroup == 0u {
    let none = subgroupMatrixLoad<Left>(&a, 4294967295u, false, 1);
    subgroupMatrixStore(&shared_elements.elements, 60, none, true, 8);
  }
  workgroupBarrier();
  if group.x > 0u {
    return;
  }
  for (var i = local; i < 116u; i += 32u) {
    var x = 0.0;
    if i < 8u {
      x = shared_elements.before[i];
    } else if i < 108u {
      x = shared_elements.elements[i - 8u];
    } else {
      x = shared_elements.after[i - 108u];
    }
    stored[72u + i] = x;
  }
}
