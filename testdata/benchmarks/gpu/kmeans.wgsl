// The nearest of 64 centres to each point of four dimensions.
@group(0) @binding(0) var<storage, read> points: array<vec4f>;
@group(0) @binding(1) var<storage, read> centres: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> nearest: array<u32>;

@compute @workgroup_size(256)
fn kmeans(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&nearest) {
    let p = points[i];
    var best = 0u;
    var least = 1e30;
    for (var k = 0u; k < 64; k++) {
      let d = p - centres[k];
      let square = dot(d, d);
      if square < least {
        least = square;
        best = k;
      }
    }
    nearest[i] = best;
  }
}
