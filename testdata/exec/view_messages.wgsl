// Views of a buffer without a type (buffer_view): messages of different types lie
// one behind the other, and each invocation reads one as what it is, some through
// functions that take the buffer or a view.
requires buffer_view;

struct Header {
  kind: u32,
  offset: u32,
  length: u32,
}

struct Body {
  position: vec3f,
  mass: f32,
  turn: mat2x2f,
  tags: array<u32>,
}

@group(0) @binding(0) var<storage> stream: buffer;
@group(0) @binding(1) var<storage, read_write> results: buffer<144>;

fn header(p: ptr<storage, buffer>, i: u32) -> Header {
  let count = *bufferView<u32>(p, 0);
  return bufferArrayView<array<Header>>(p, 16, count * 12)[i];
}

fn sum(p: ptr<storage, array<f32>>) -> f32 {
  var s = 0.0;
  for (var i = 0u; i < arrayLength(p); i++) {
    s += p[i];
  }
  return s;
}

fn weigh(p: ptr<storage, Body>) -> vec3u {
  let n = arrayLength(&p.tags);
  return vec3u(bitcast<u32>(dot(p.position, vec3f(1, 2, 4)) + p.mass), n, p.tags[n - 1] + u32(p.turn[1].x));
}

fn answer(p: ptr<storage, buffer, read_write>, i: u32, v: vec4u) {
  *bufferView<vec4u>(p, i * 16) = v;
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= *bufferView<u32>(&stream, 0) {
    return;
  }
  let h = header(&stream, i);
  var r = vec3u();
  switch h.kind {
    case 0 {
      let p = bufferArrayView<array<f32>>(&stream, h.offset, h.length);
      r = vec3u(bitcast<u32>(sum(p)), arrayLength(p), 7);
    }
    case 1 {
      r = weigh(bufferArrayView<Body>(&stream, h.offset, h.length));
    }
    case 2 {
      let p = bufferArrayView<array<vec3u>>(&stream, h.offset, h.length);
      for (var k = 0u; k < arrayLength(p); k++) {
        r += p[k];
      }
    }
    default {
      // the offset need not be aligned: it is rounded down
      let all = *bufferView<array<array<u32, 3>, 40>>(&stream, h.offset + 3);
      r = vec3u(all[h.length][2], all[0][1], bufferLength(&stream) - h.offset);
    }
  }
  answer(&results, i, vec4u(h.kind, r));
  if h.kind == 2 {
    bufferView<array<vec4u, 9>>(&results, 0)[i].w += 100;
    bufferView<vec2u>(&results, i * 16)[0]++;
  }
}
