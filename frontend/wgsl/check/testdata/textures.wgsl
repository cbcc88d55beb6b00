// Texture and sampler types and builtins (WGSL §6.6, §17.7).
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var d: texture_depth_2d;
@group(0) @binding(3) var c: sampler_comparison;
@group(0) @binding(4) var w: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(5) var r: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(6) var u: texture_3d<u32>;

fn helper(t: texture_2d<f32>, s: sampler, uv: vec2f) -> vec4f { return textureSample(t, s, uv, vec2(1, -8)); }
@fragment fn good(@location(0) uv: vec2f) -> @location(0) vec4f {
  let alias_of_t = t;
  let a = textureLoad(t, vec2u(uv), 0) + textureLoad(alias_of_t, vec2i(uv), 1u);
  let b = textureSampleCompare(d, c, uv, 0.5) + textureGather(2, t, s, uv).x;
  let e = textureDimensions(t).x + textureDimensions(u, 1).z + textureNumLevels(d);
  textureStore(w, vec2(1, 2), a);
  textureStore(r, vec2(1u, 2), textureLoad(r, vec2(1, 2)) + 1);
  return helper(t, s, uv) + b + f32(e);
}
fn bad(uv: vec2f, i: i32) {
  let a = textureSample(u, s, vec3f()); // want "`textureSample` does not take (texture_3d<u32>, sampler, vec3<f32>) [no-overload]"
  let b = textureSample(t, c, uv); // want "`textureSample` does not take (texture_2d<f32>, sampler_comparison, vec2<f32>) [no-overload]"
  let e = textureLoad(w, vec2(1, 2)); // want "`textureLoad` does not take (texture_storage_2d<rgba8unorm, write>, vec2<abstract-int>) [no-overload]"
  textureStore(t, vec2(1, 2), vec4f()); // want "`textureStore` does not take (texture_2d<f32>, vec2<abstract-int>, vec4<f32>) [no-overload]"
  textureStore(w, vec2(1, 2), vec4u()); // want "`textureStore` does not take (texture_storage_2d<rgba8unorm, write>, vec2<abstract-int>, vec4<u32>) [no-overload]"
  let f = textureSample(t, s, uv, vec2(i, 0)); // want "the offset must be a const-expression [not-constant]"
  let g = textureSample(t, s, uv, vec2(8, 0)); // want "the offset of `textureSample` must be from -8 to 7, found 8 [evaluation-error]"
  let h = textureGather(4, t, s, uv); // want "the component of `textureGather` must be from 0 to 3, found 4 [evaluation-error]"
  let j = &t; // want "a texture_2d<f32> has no address [invalid-pointer]"
  textureLoad(t, vec2(1, 2), 0); // want "the result of `textureLoad` must be used [unused-result]"
  t = t; // want "a texture or sampler cannot be assigned to [not-assignable]"
}

fn shade(uv: vec2f) -> vec4f { return textureSampleBias(t, s, uv, 1); } // want "`textureSampleBias` is for fragment shaders, and a compute entry point uses it [invalid-entry-point]"
@compute @workgroup_size(1) fn sampling() {
  let a = textureSampleLevel(t, s, vec2f(), 0.5) + textureSampleGrad(t, s, vec2f(), vec2f(), vec2f(), vec2i(1));
  let b = textureSampleCompareLevel(d, c, vec2f(), 0.5) + textureSampleLevel(d, s, vec2f(), 1);
  let e = textureSampleBaseClampToEdge(t, s, vec2f()) + textureGather(d, s, vec2f(), vec2i(1) - 2);
  textureStore(w, vec2(1, 2), a + b + e + shade(vec2f()));
}
@compute @workgroup_size(1) fn implicit() {
  textureStore(w, vec2(1, 2), textureSample(t, s, vec2f())); // want "`textureSample` is for fragment shaders, and a compute entry point uses it [invalid-entry-point]"
}
