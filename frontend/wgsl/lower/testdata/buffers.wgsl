requires buffer_view;

struct Pair {
  a: u32,
  b: vec2f,
}

override bytes = 64;
override place = 8;

@group(0) @binding(0) var<storage> in: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer<256>;
@group(0) @binding(2) var<uniform> fixed: buffer<64>;
var<workgroup> shared_bytes: buffer<bytes>;

fn sum(p: ptr<uniform, array<f32>>) -> f32 {
  var s = 0.0;
  for (var i = 0u; i < arrayLength(p); i++) {
    s += p[i];
  }
  return s;
}

fn length(p: ptr<storage, buffer, read_write>) -> u32 {
  return bufferLength(p);
}

fn first(p: ptr<storage, buffer<16>, read_write>) -> u32 {
  *bufferView<u32>(p, 0) += length(p);
  return *bufferView<u32>(p, 4);
}

fn shared_length(p: ptr<workgroup, buffer>) -> u32 {
  return bufferLength(p);
}

fn same(p: ptr<workgroup, buffer<bytes>>) -> u32 {
  return shared_length(p);
}

fn assign(p: ptr<storage, f32, read_write>, x: f32) {
  *p = x;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
  let signed = i32(i);
  let pairs = bufferView<array<Pair>>(&in, 16);
  let all = &out;
  *bufferView<vec2f>(all, i * 8) = pairs[i].b;
  bufferView<array<f32>>(&out, 4)[i] = bufferView<array<f32, 4>>(&in, signed)[2];
  (*bufferView<Pair>(all, place)).a |= arrayLength(pairs);
  let b = &(*bufferView<Pair>(all, 8u)).b;
  (*b).yx = vec2f(1, 2);
  bufferView<vec4u>(&out, 0).z++;
  assign(bufferView<f32>(&out, 60), sum(bufferView<array<f32>>(&fixed, 4)));
  assign(&bufferView<array<f32>>(&out, 0)[i], sum(bufferArrayView<array<f32>>(&fixed, i, signed)));
  let n = first(&out) + length(&out) + shared_length(&shared_bytes) + same(&shared_bytes);
  let late = -4;
  _ = bufferView<u32>(&in, late);
  var table = *bufferView<array<u32, 32>>(&out, 0);
  *bufferView<array<u32, 32>>(&out, 128) = table;
  let loaded = workgroupUniformLoad(bufferView<vec2u>(&shared_bytes, 0)) + n + bufferLength(&in);
  *bufferView<vec2u>(&shared_bytes, place) = loaded;
  var k = 0u;
  loop {
    let p = bufferView<array<u32>>(&out, k * 4);
    let q = &p[k + 1];
    k++;
    if k == 2 {
      continue;
    }
    continuing {
      *q = p[0];
      break if k > 3;
    }
  }
}
