// The elements that are large enough, in their order, at the front of each workgroup's
// part, and how many they are.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<immediate> least: u32;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn compact(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32,
           @builtin(workgroup_id) group: vec3u) {
  let v = a[id.x];
  var s = select(0u, 1u, v >= least);
  part[t] = s;
  workgroupBarrier();
  for (var w = 1u; w < 256; w *= 2) {
    if t >= w {
      s += part[t - w];
    }
    workgroupBarrier();
    part[t] = s;
    workgroupBarrier();
  }
  if v >= least {
    b[group.x * 256 + s - 1] = v;
  }
  if t == 255 {
    counts[group.x] = s;
  }
}
