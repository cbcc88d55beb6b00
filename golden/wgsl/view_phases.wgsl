// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<uniform> settings: array<u32, 28>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;
var<workgroup> scratch: array<u32, 32>;

@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let t = (lane % 3u) << 2u;
  let v = vec4f(bitcast<f32>(settings[t + 4u]), bitcast<f32>(settings[t + 5u]), bitcast<f32>(settings[t + 6u]), bitcast<f32>(settings[lane + 16u]));
  let t_1 = lane << 2u;
  let t_2 = v * bitcast<f32>(settings[1]) + f32(group.x);
  scratch[t_1] = bitcast<u32>(t_2.x);
  scratch[t_1 + 1u] = bitcast<u32>(t_2.y);
  scratch[t_1 + 2u] = bitcast<u32>(t_2.z);
  scratch[t_1 + 3u] = bitcast<u32>(t_2.w);
  workgroupBarrier();
  let begin = group.x * 40u;
  for (var k = lane; k < 32u; k += 8u) {
    words[begin + k] = scratch[31u - k];
  }
  workgroupBarrier();
  if lane == 3u {
    scratch[2] = 11u;
    scratch[3] = 22u;
  }
  workgroupBarrier();
  let t_3 = scratch[3];
  workgroupBarrier();
  if (lane == 0u) & (group.x == 0u) {
    lengths[0] = 80u;
    lengths[1] = 7u;
    lengths[2] = 80u;
    lengths[3] = 5u;
    lengths[4] = 112u;
    lengths[5] = 128u;
    lengths[6] = 5u;
  }
  words[lane + (begin + 32u)] = lane + t_3;
}
