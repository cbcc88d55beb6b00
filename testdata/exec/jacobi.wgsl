// Steps of heat conduction on a grid with fixed borders, a halo staged in
// workgroup memory: a tile of 8×8 needs 10×10 values, which 64 invocations
// fetch in a strided loop. Strict: four additions in a stated order.
const width = 43u;
const height = 35u;
const tile = 8u;
const halo = tile + 2u;

@group(0) @binding(0) var<storage, read> temperature: array<f32>;
@group(0) @binding(1) var<storage, read_write> next: array<f32>;

var<workgroup> cells: array<f32, halo * halo>;

@compute @workgroup_size(tile, tile)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) index: u32,
) {
  let origin = vec2i(group.xy * tile) - 1;
  for (var i = index; i < halo * halo; i += tile * tile) {
    let at = clamp(origin + vec2i(vec2u(i % halo, i / halo)), vec2i(), vec2i(vec2u(width, height)) - 1);
    cells[i] = temperature[u32(at.y) * width + u32(at.x)];
  }
  workgroupBarrier();
  let at = group.xy * tile + local.xy;
  if at.x >= width || at.y >= height {
    return;
  }
  let here = (local.y + 1u) * halo + local.x + 1u;
  var value = cells[here];
  if at.x > 0u && at.y > 0u && at.x < width - 1u && at.y < height - 1u {
    value = ((cells[here - 1u] + cells[here + 1u]) + (cells[here - halo] + cells[here + halo])) * 0.25;
  }
  next[at.y * width + at.x] = value;
}
