// Every format that storage textures may have on all devices, written with values
// at the ends of its range, within it and beyond it.
@group(0) @binding(0) var a: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(1) var b: texture_storage_2d<rgba8snorm, write>;
@group(0) @binding(2) var c: texture_storage_2d<rgba16float, write>;
@group(0) @binding(3) var d: texture_storage_2d<r32float, write>;
@group(1) @binding(0) var e: texture_storage_2d<rg32float, write>;
@group(1) @binding(1) var f: texture_storage_2d<rgba32float, write>;
@group(1) @binding(2) var g: texture_storage_2d<rgba32uint, write>;
@group(1) @binding(3) var h: texture_storage_2d<rgba32sint, write>;
@group(2) @binding(0) var i: texture_storage_2d<rgba8uint, write>;
@group(2) @binding(1) var j: texture_storage_2d<rgba16uint, write>;
@group(2) @binding(2) var k: texture_storage_2d<r32uint, write>;
@group(2) @binding(3) var l: texture_storage_2d<rg32uint, write>;
@group(3) @binding(0) var m: texture_storage_2d<rgba8sint, write>;
@group(3) @binding(1) var n: texture_storage_2d<rgba16sint, write>;
@group(3) @binding(2) var o: texture_storage_2d<r32sint, write>;
@group(3) @binding(3) var p: texture_storage_2d<rg32sint, write>;

@compute @workgroup_size(4, 4)
fn small(@builtin(global_invocation_id) id: vec3u) {
  let at = id.xy;
  let x = f32(at.y * 16 + at.x);
  textureStore(a, at, vec4f(x, 255 - x, 2 * x - 100, 300 - x) / 255);
  textureStore(b, at, vec4f(x - 128, 127 - x, 2 * x, -200) / 127);
  textureStore(c, at, vec4f(x / 256, -1 - x, ldexp(1.0, -i32(at.y / 2)), 60000));
  textureStore(d, at, vec4f(x * x / 3, 1, 2, 3));
}

@compute @workgroup_size(4, 4)
fn large(@builtin(global_invocation_id) id: vec3u) {
  let at = id.xy;
  let x = at.y * 16 + at.x;
  textureStore(e, at, vec4f(f32(x), -1 - f32(x), 7, 8));
  textureStore(f, at, vec4f(f32(x) / 64, (-1 - f32(x)) * 65536, 1e30, -0.5));
  textureStore(g, at, vec4u(x, ~x, x << 24, x * 0x01010101));
  textureStore(h, at, vec4i(i32(x), -i32(x), i32(x) << 24, i32(x * 0x01010101)));
}

@compute @workgroup_size(4, 4)
fn unsigned(@builtin(global_invocation_id) invocation: vec3u) {
  let id = invocation.xy;
  let x = id.y * 16 + id.x;
  textureStore(i, id, vec4u(x, 255 - x, x / 2, 255));
  textureStore(j, id, vec4u(x * 257, 65535 - x, x, 0));
  textureStore(k, id, vec4u(x * 0x01010101));
  textureStore(l, id, vec4u(~x, x << 23, 5, 6));
}

@compute @workgroup_size(4, 4)
fn signed(@builtin(global_invocation_id) id: vec3u) {
  let x = i32(id.y * 16 + id.x);
  textureStore(m, id.xy, vec4i(x - 128, 127 - x, -1, x / 2));
  textureStore(n, id.xy, vec4i(x * 256 - 32768, 32767 - x, -x, 1));
  textureStore(o, id.xy, vec4i(-x * 0x01010101));
  textureStore(p, id.xy, vec4i(~x, x << 23, 5, 6));
}
