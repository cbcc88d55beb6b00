// Views of workgroup memory and of a uniform buffer (buffer_view): the same bytes
// hold vectors first and words then, the size is an override's, and functions see
// no more of a buffer than their parameter's type says.
requires buffer_view;

override lanes = 8u;

@group(0) @binding(0) var<uniform> settings: buffer<112>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;

var<workgroup> scratch: buffer<lanes * 16>;

fn fill(p: ptr<workgroup, buffer>, lane: u32, more: f32) {
  let turn = bufferView<mat3x3f>(&settings, 16);
  let v = vec4f(turn[lane % 3], bufferView<array<f32>>(&settings, 64)[lane]);
  bufferView<array<vec4f>>(p, 0)[lane] = v * *bufferView<f32>(&settings, 4) + more;
}

fn limited(p: ptr<uniform, buffer<80>>) -> vec4u {
  let rest = bufferView<array<vec2u>>(p, 24);
  return vec4u(bufferLength(p), arrayLength(rest), whole(p), arrayLength(bufferArrayView<array<f32>>(p, 8, 20)));
}

fn whole(p: ptr<uniform, buffer>) -> u32 {
  return bufferLength(p);
}

@compute @workgroup_size(lanes)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  fill(&scratch, lane, f32(group.x));
  workgroupBarrier();
  let n = arrayLength(bufferView<array<u32>>(&scratch, 0));
  let begin = group.x * (n + lanes);
  for (var k = lane; k < n; k += lanes) {
    words[begin + k] = bufferView<array<u32>>(&scratch, 0)[n - 1 - k];
  }
  workgroupBarrier();
  if lane == 3 {
    *bufferView<vec2u>(&scratch, 8) = vec2u(11, 22);
  }
  let shared_value = workgroupUniformLoad(bufferView<u32>(&scratch, 12));
  if lane == 0 && group.x == 0 {
    let l = limited(&settings);
    lengths[0] = l.x;
    lengths[1] = l.y;
    lengths[2] = l.z;
    lengths[3] = l.w;
    lengths[4] = whole(&settings);
    lengths[5] = bufferLength(&scratch);
    lengths[6] = arrayLength(bufferView<array<vec3f>>(&settings, 32));
  }
  words[begin + n + lane] = shared_value + lane;
}
