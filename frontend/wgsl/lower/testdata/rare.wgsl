// The builtins and operators that no other program of testdata calls, so that
// TestEveryBuiltinIsLowered sees each row of the checker's table.

enable subgroups;

@group(0) @binding(0) var near: sampler;
@group(0) @binding(1) var compare: sampler_comparison;
@group(0) @binding(2) var flat: texture_2d<f32>;
@group(0) @binding(3) var line: texture_1d<f32>;
@group(0) @binding(4) var solid: texture_3d<f32>;
@group(0) @binding(5) var cube: texture_cube<f32>;
@group(0) @binding(6) var cubes: texture_cube_array<f32>;
@group(0) @binding(7) var depth: texture_depth_2d;
@group(0) @binding(8) var depths: texture_depth_2d_array;
@group(0) @binding(9) var depth_cube: texture_depth_cube;
@group(0) @binding(10) var depth_cubes: texture_depth_cube_array;
@group(0) @binding(11) var frame: texture_external;
@group(1) @binding(0) var stored: texture_storage_2d_array<rgba8unorm, read>;
@group(1) @binding(1) var stored_solid: texture_storage_3d<rgba8unorm, read>;
@group(1) @binding(2) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(64)
fn operators(@builtin(local_invocation_index) i: u32) {
  out[0] = vec4f(vec2f(i + vec2u(i, 2)), vec2f(i % vec2u(i + 1, 5)));
}

@compute @workgroup_size(64)
fn subgroups_and_quads(@builtin(local_invocation_index) i: u32) {
  out[i].x = f32(subgroupExclusiveMul(i) + subgroupInclusiveMul(i));
  out[i].y = quadBroadcast(out[i].x, 2) + quadSwapDiagonal(out[i].x) + quadSwapY(out[i].x);
}

@compute @workgroup_size(1)
fn textures(@builtin(workgroup_id) id: vec3u) {
  let p = vec3f(id) * 0.25;
  let layer = i32(id.z);
  var sum = textureGather(1, cube, near, p);
  sum += textureGather(2, cubes, near, p, layer);
  sum += textureGather(depth, near, p.xy, vec2(1, -1));
  sum += textureGather(depth_cube, near, p);
  sum += textureGather(depths, near, p.xy, layer);
  sum += textureGather(depth_cubes, near, p, layer);
  sum += textureGatherCompare(depth, compare, p.xy, 0.5, vec2(1, -1));
  sum += textureGatherCompare(depths, compare, p.xy, layer, 0.5, vec2(1, -1));
  sum += textureGatherCompare(depth_cube, compare, p, 0.5);
  sum += textureGatherCompare(depth_cubes, compare, p, layer, 0.5);
  sum.x += textureLoad(depths, id.xy, layer, 0);
  sum += textureLoad(stored, id.xy, layer);
  sum += textureLoad(stored_solid, id);
  sum.x += textureSampleCompareLevel(depth_cubes, compare, p, layer, 0.5);
  sum += textureSampleGrad(flat, near, p.xy, p.yz, p.zx, vec2(1, -1));
  sum += textureSampleGrad(solid, near, p, p.yzx, p.zxy);
  sum += textureSampleGrad(cube, near, p, p.yzx, p.zxy);
  sum += textureSampleGrad(solid, near, p, p.yzx, p.zxy, vec3(1, -1, 2));
  sum += textureSampleGrad(cubes, near, p, layer, p.yzx, p.zxy);
  sum += textureSampleLevel(line, near, p.x, 1.5);
  sum += textureSampleLevel(solid, near, p, 1.5, vec3(1, -1, 2));
  sum.x += textureSampleLevel(depth, near, p.xy, 1, vec2(1, -1));
  sum.x += textureSampleLevel(depth_cubes, near, p, layer, 1);
  sum += textureSampleBaseClampToEdge(frame, near, p.xy);
  out[0] = sum;
}

@group(0) @binding(10) var<storage, read_write> numbers: vec4f;

@compute @workgroup_size(1)
fn abstract_structures() {
  const parts = modf(vec2(1.25, -2.5));
  const power = frexp(-3.0);
  numbers = vec4(parts.fract, power.fract, f32(power.exp));
}
