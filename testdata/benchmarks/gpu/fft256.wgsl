// Fourier transforms of 256 complex numbers, one to a workgroup: Stockham's order, eight
// stages of radix 2 in workgroup memory.
@group(0) @binding(0) var<storage, read> a: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> b: array<vec2f>;

var<workgroup> part: array<vec2f, 256>;

@compute @workgroup_size(128)
fn fft256(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let first = group.x * 256;
  part[t] = a[first + t];
  part[t + 128] = a[first + t + 128];
  workgroupBarrier();
  for (var half = 1u; half < 256; half *= 2) {
    let k = t % half;
    let angle = -3.14159265 * f32(k) / f32(half);
    let c = cos(angle);
    let s = sin(angle);
    let u = part[t];
    let v = part[t + 128];
    let w = vec2f(v.x * c - v.y * s, v.x * s + v.y * c);
    workgroupBarrier();
    let to = t / half * half * 2 + k;
    part[to] = u + w;
    part[to + half] = u - w;
    workgroupBarrier();
  }
  b[first + t] = part[t];
  b[first + t + 128] = part[t + 128];
}
