// Collective operations in uniform control flow (WGSL §15.2).
enable subgroups;
var<workgroup> shared_data: array<f32, 64>;
var<workgroup> wide: array<array<f32, 4>, 4>;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@group(0) @binding(1) var<uniform> count: vec4u;

@compute @workgroup_size(64)
fn uniform_flow(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
  for (var k = 0u; k < count.x; k++) {
    shared_data[i] = data[i + k];
    workgroupBarrier();
  }
  if group.x > 2 { workgroupBarrier(); }
  if i > 3 { data[i] = 1; }
  workgroupBarrier(); // control flow has come together again
  var stride = 32u;
  loop {
    if i < stride { shared_data[i] += shared_data[i + stride]; }
    workgroupBarrier();
    stride /= 2;
    if stride == 0 { break; }
  }
  if workgroupUniformLoad(&shared_data[0]) > 1 { storageBarrier(); }
}
@compute @workgroup_size(64)
fn divergent(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
  if i > 3 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  if data[0] > 1 { storageBarrier(); } // want "`storageBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  for (var k = 0u; k < i; k++) { 
    workgroupBarrier(); // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  }
  var x = group.x;
  x += i;
  if x > 2 { barrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  if depends(group.x) > 2 { barrier(); }
  if depends(i) > 2 { barrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  let chosen = workgroupUniformLoad(&wide[i]); // want "`workgroupUniformLoad` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
  fill(&x, group.y);
  if x > 1 { workgroupBarrier(); }
  fill(&x, i);
  if x > 1 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
fn barrier() { workgroupBarrier(); }
fn depends(x: u32) -> u32 { return x * 2; }
fn fill(p: ptr<function, u32>, x: u32) { *p = x; }

@compute @workgroup_size(64)
fn early_return(@builtin(local_invocation_index) i: u32) {
  if i >= count.x { return; }
  workgroupBarrier(); // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn in_subgroups(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) id: u32) {
  if id > 1 { _ = subgroupAdd(i); }
  if subgroupAny(i > 2) { _ = subgroupAdd(i); }
  if i > 2 { _ = subgroupAdd(i); } // want "`subgroupAdd` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
  @diagnostic(off, subgroup_uniformity) if i > 2 { _ = subgroupAdd(i); }
  @diagnostic(warning, subgroup_uniformity) { if i > 2 { _ = subgroupAdd(i); } } // want "`subgroupAdd` must be reached by all invocations of a subgroup, and control flow may differ between them here [non-uniform]"
  _ = subgroupShuffleUp(i, i); // want "`subgroupShuffleUp` needs an argument that is the same for all invocations of a subgroup, and this one may differ [non-uniform]"
}
@compute @workgroup_size(64)
fn continues(@builtin(local_invocation_index) i: u32) {
  var k = 0u;
  loop {
    var x = 1u;
    if count.y > 1 { x = i; continue; }
    continuing {
      k++;
      if x > 1 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
      break if k > 4;
    }
  }
}

@compute @workgroup_size(64)
fn swizzles(@builtin(local_invocation_id) id: vec3u) {
  var whole = id;
  whole.zyx = count.xyz; // all components: what was there before does not count
  if whole.x > 1 { workgroupBarrier(); }
  var chained = id;
  chained.xyz.zxy = count.xyz;
  if chained.x > 1 { workgroupBarrier(); }
  var part = id;
  part.xy = count.xy;
  if part.x > 1 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}

// One branch is one mistake, reported at the first operation behind it.
fn synchronises() { storageBarrier(); }
@compute @workgroup_size(64)
fn one_branch(@builtin(local_invocation_id) id: vec3u) {
  if id.x > 3 {
    workgroupBarrier(); // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
    storageBarrier();
    synchronises();
    if count.x > 1 { workgroupBarrier(); }
    for (var i = 0; i < 2; i++) { workgroupBarrier(); }
    if id.y > 1 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  }
  if id.x > 4 { return; }
  workgroupBarrier(); // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
  workgroupBarrier();
}
