// Pipeline constants: in the workgroup size, in the size of a workgroup array,
// in expressions over other overrides, of every scalar type, with and without
// numeric ids, some set and some left at their defaults. The same entry point
// runs with different settings, which are different pipelines.
override width: u32 = 8;
override height = width / 4u; // follows width
@id(7) override scale: f32 = 0.5;
@id(8) override offset: i32;
override mirrored: bool = false;

const limit = 64u;

@group(0) @binding(0) var<storage, read_write> results: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> sizes: array<u32>;

var<workgroup> tile: array<f32, width * height + 1u>;

@compute @workgroup_size(width, height)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(local_invocation_id) place: vec3u,
  @builtin(workgroup_id) group: vec3u,
) {
  let count = width * height;
  tile[select(local, count - 1u - local, mirrored)] = f32(place.x + 100u * place.y);
  if local == 0u {
    tile[count] = f32(offset);
  }
  workgroupBarrier();
  let at = group.x * limit + local;
  results[at] += vec4f(tile[local] * scale, tile[count], f32(width), f32(place.y));
  if local == 0u {
    sizes[group.x] = sizes[group.x] * 100u + count;
  }
}
