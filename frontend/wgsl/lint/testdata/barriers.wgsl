// Barriers that order nothing (WGSL §17.11).

var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage> source: array<u32>;
@group(0) @binding(2) var image: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(3) var out: texture_storage_2d<r32uint, write>;

fn sync() { workgroupBarrier(); }
fn never_useful() { workgroupBarrier(); } // want "this `workgroupBarrier` orders no memory [suspicious-barrier]"
fn unreached() { storageBarrier(); } // want "the function `unreached` is never called [unused-function]"

@compute @workgroup_size(64)
fn shares(@builtin(local_invocation_index) i: u32) {
  tile[i] = source[i];
  sync();
  data[i] = tile[63u - i];
}
@compute @workgroup_size(64)
fn shares_nothing(@builtin(local_invocation_index) i: u32) {
  data[i] = source[i];
  sync();
  never_useful();
}
@compute @workgroup_size(64)
fn orders_storage(@builtin(local_invocation_index) i: u32) {
  data[i] = 1u;
  storageBarrier();
  data[i] = data[63u - i];
  workgroupBarrier(); // meant together with the other
}
@compute @workgroup_size(64)
fn read_only(@builtin(local_invocation_index) i: u32) {
  let x = source[i];
  storageBarrier(); // want "this `storageBarrier` orders no memory [suspicious-barrier]"
  textureBarrier(); // want "this `textureBarrier` orders no memory [suspicious-barrier]"
  textureStore(out, vec2u(i, 0u), vec4u(x));
}
@compute @workgroup_size(64)
fn textures(@builtin(local_invocation_index) i: u32) {
  textureStore(image, vec2u(i, 0u), vec4u(1u));
  textureBarrier();
  textureStore(image, vec2u(i, 1u), textureLoad(image, vec2u(63u - i, 0u)));
}
@compute @workgroup_size(64)
fn twice(@builtin(local_invocation_index) i: u32) {
  tile[i] = 1u;
  workgroupBarrier();
  workgroupBarrier(); // want "this barrier follows another with nothing between them [suspicious-barrier]"
  storageBarrier();
  data[i] = tile[63u - i];
}
