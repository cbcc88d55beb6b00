// A step of the Floyd-Warshall algorithm: paths between n points by way of point k.
requires immediate_address_space;

struct Step { n: u32, k: u32 }

@group(0) @binding(0) var<storage, read_write> distances: array<f32>;

var<immediate> step: Step;

@compute @workgroup_size(16, 16)
fn floyd_warshall(@builtin(global_invocation_id) id: vec3u) {
  let n = step.n;
  if id.x < n && id.y < n {
    let i = id.y * n + id.x;
    distances[i] = min(distances[i], distances[id.y * n + step.k] + distances[step.k * n + id.x]);
  }
}
