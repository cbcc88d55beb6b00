// A radix sort's pass over four bits: each workgroup sorts its 256 keys by them, bit by
// bit, and counts the digits.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<immediate> shift: u32;

var<workgroup> keys: array<u32, 256>;
var<workgroup> zeros: array<u32, 256>;
var<workgroup> digits: array<atomic<u32>, 16>;

@compute @workgroup_size(256)
fn radix(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32,
         @builtin(workgroup_id) group: vec3u) {
  var key = a[id.x];
  if t < 16 {
    atomicStore(&digits[t], 0);
  }
  workgroupBarrier();
  atomicAdd(&digits[(key >> shift) & 15], 1);
  for (var k = 0u; k < 4; k++) {
    let bit = (key >> (shift + k)) & 1;
    var s = 1 - bit;
    zeros[t] = s;
    workgroupBarrier();
    for (var w = 1u; w < 256; w *= 2) {
      if t >= w {
        s += zeros[t - w];
      }
      workgroupBarrier();
      zeros[t] = s;
      workgroupBarrier();
    }
    let place = select(s - 1, zeros[255] + t - s, bit == 1);
    keys[place] = key;
    workgroupBarrier();
    key = keys[t];
  }
  b[id.x] = key;
  if t < 16 {
    counts[group.x * 16 + t] = atomicLoad(&digits[t]);
  }
}
