// A chain of mip levels, each made from the one before by its own dispatch: the
// two variables are bound to two levels of one texture. Averages of four small
// integers are exact, and those of averages too.
@group(0) @binding(0) var finer: texture_2d<f32>;
@group(0) @binding(1) var coarser: texture_storage_2d<r32float, write>;

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= textureDimensions(coarser)) {
    return;
  }
  let last = textureDimensions(finer) - 1; // a row may be all that is left
  var sum = 0.0;
  for (var i = 0u; i < 4; i++) {
    sum += textureLoad(finer, min(2 * id.xy + vec2u(i & 1, i >> 1), last), 0).r;
  }
  textureStore(coarser, id.xy, vec4f(sum / 4, 0, 0, 1));
}
