// Uniformity of what is read through views (WGSL §15.2): a view is as uniform as
// its offset and size, and what it points to as the variable behind it.
requires buffer_view;
@group(0) @binding(0) var<storage> in: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer;
@group(0) @binding(2) var<uniform> fixed: buffer<64>;
var<workgroup> shared_bytes: buffer<256>;
fn read(p: ptr<storage, buffer>, at: u32) -> u32 { return *bufferView<u32>(p, at); }
fn length(p: ptr<storage, buffer, read_write>) -> u32 { return bufferLength(p) + arrayLength(bufferView<array<u32>>(p, 4)); }
@compute @workgroup_size(64)
fn same(@builtin(workgroup_id) group: vec3u) {
  let p = bufferView<array<u32>>(&in, group.x * 4);
  if p[1] > 0 { workgroupBarrier(); }
  if *bufferView<u32>(&fixed, 4) > 0 { workgroupBarrier(); }
  if read(&in, group.y) > 0 { workgroupBarrier(); }
  if length(&out) > 8 { workgroupBarrier(); }
  if workgroupUniformLoad(bufferView<vec4u>(&shared_bytes, group.x)).x > 0 { workgroupBarrier(); }
}
@compute @workgroup_size(64)
fn offset(@builtin(local_invocation_index) i: u32) {
  if *bufferView<u32>(&in, i) > 0 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn kept(@builtin(local_invocation_index) i: u32) {
  let p = bufferView<array<u32>>(&fixed, i);
  if p[0] > 0 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn size(@builtin(local_invocation_index) i: u32) {
  if arrayLength(bufferArrayView<array<u32>>(&in, 0, i)) > 0 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn passed(@builtin(local_invocation_index) i: u32) {
  if read(&in, i) > 0 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn writable() {
  if *bufferView<u32>(&out, 0) > 0 { workgroupBarrier(); } // want "`workgroupBarrier` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
}
@compute @workgroup_size(64)
fn loaded(@builtin(local_invocation_index) i: u32) {
  _ = workgroupUniformLoad(bufferView<vec4u>(&shared_bytes, i * 16)); // want "`workgroupUniformLoad` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
}
