// Views with halves (buffer_view): neighbours write the two halves of a word at the
// same time, and structures of halves and words are read as either.
enable f16;
requires buffer_view;

struct Pair {
  a: f16,
  b: f32,
  c: array<vec3h, 2>,
}

@group(0) @binding(0) var<storage> given: buffer;
@group(0) @binding(1) var<storage, read_write> made: buffer;
@group(0) @binding(2) var<storage, read_write> read: array<vec4f>;

var<workgroup> scratch: buffer<66>;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
  let p = bufferView<array<Pair>>(&given, 8 + group.x * 384);
  let begin = group.x * 192;
  read[group.x * 16 + i] = vec4f(f32(p[i].a), p[i].b, f32(p[i].c[i % 2].y), f32(p[i].c[1 - i % 2].z));
  bufferView<array<f16>>(&scratch, 2)[i] = p[i].a * 2;
  bufferView<array<f16>>(&made, begin + 2)[i] = p[i].a + 1;
  workgroupBarrier();
  bufferView<array<u32>>(&made, begin + 64)[i] = bufferView<array<u32>>(&scratch, 4)[i % 8];
  if i == 5 {
    *bufferView<Pair>(&made, begin + 128) = p[5];
  }
}
