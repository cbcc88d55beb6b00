// Programs may use the names of buffer_view for what they like, as before there
// was such a feature.
@group(0) @binding(0) var<storage, read_write> buffer: array<f32>;
struct bufferView { bufferLength: u32 }
fn bufferArrayView(buffer: u32, bufferLength: u32) -> u32 { return buffer * bufferLength; }
fn f() -> f32 {
  let view = bufferView(4);
  var bufferLength = bufferArrayView(view.bufferLength, 2);
  bufferLength += arrayLength(&buffer);
  buffer[0] = 1;
  for (var buffer = 0u; buffer < bufferLength && bufferLength > 2; buffer++) {}
  return buffer[bufferLength];
}
fn g(p: ptr<storage, buffer>) {} // want "`buffer` is a variable, and a type is needed here [not-a-type]"
fn h() { _ = bufferView<u32>(&buffer, 0); } // want "`bufferView` takes no template arguments [invalid-type]"
