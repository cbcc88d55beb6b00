// A bitonic sort in storage: each comparator stage is a dispatch, because no
// barrier reaches across workgroups. The stage is kept in a buffer and moved on
// by a second entry point; signed keys.
struct Stage {
  run: u32,
  gap: u32,
}

@group(0) @binding(0) var<storage, read_write> data: array<i32>;
@group(1) @binding(0) var<storage, read_write> stage: Stage;

@compute @workgroup_size(32)
fn compare(@builtin(global_invocation_id) id: vec3u) {
  let gap = stage.gap;
  let low = 2u * id.x - (id.x & (gap - 1u));
  let high = low + gap;
  if high >= arrayLength(&data) {
    return;
  }
  let a = data[low];
  let b = data[high];
  if (a > b) == ((low & stage.run) == 0u) {
    data[low] = b;
    data[high] = a;
  }
}

@compute @workgroup_size(1)
fn advance() {
  stage.gap >>= 1u;
  if stage.gap == 0u {
    stage.run <<= 1u;
    stage.gap = stage.run >> 1u;
  }
}
