// A sum in two dispatches: every workgroup halves its elements in workgroup
// memory until one is left, then one workgroup adds the partial sums. The
// elements are multiples of 1/8, so the sum is exact in whatever order.
const size = 64u;

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
@group(0) @binding(2) var<storage, read_write> total: f32;

var<workgroup> scratch: array<f32, size>;

fn halve(local: u32) {
  for (var stride = size / 2u; stride > 0u; stride >>= 1u) {
    workgroupBarrier();
    if local < stride {
      scratch[local] += scratch[local + stride];
    }
  }
}

@compute @workgroup_size(size)
fn reduce(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  scratch[local] = 0.0;
  if id.x < arrayLength(&data) {
    scratch[local] = data[id.x];
  }
  halve(local);
  if local == 0u {
    partial[group.x] = scratch[0];
  }
}

@compute @workgroup_size(size)
fn finish(@builtin(local_invocation_index) local: u32) {
  var sum = 0.0;
  for (var i = local; i < arrayLength(&partial); i += size) {
    sum += partial[i];
  }
  scratch[local] = sum;
  halve(local);
  if local == 0u {
    total = scratch[0];
  }
}
