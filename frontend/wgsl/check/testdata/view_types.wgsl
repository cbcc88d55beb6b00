// What views of buffers cannot be views of, and how else they are misused (WGSL §17.14).
requires buffer_view, uniform_buffer_standard_layout;
override bytes: u32 = 64;
struct Pair { a: u32, b: vec2f }
struct Locked { n: u32, lock: atomic<u32> }
@group(0) @binding(0) var<storage> in: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer;
@group(0) @binding(2) var<storage, read_write> page: buffer<64>;
@group(0) @binding(3) var<uniform> fixed: buffer<64>;

fn wrong_types(n: u32) {
  _ = bufferView(&in, 0); // want "`bufferView` takes one template argument, a type: bufferView<T>(…) [invalid-type]"
  _ = bufferView<f32, u32>(&in, 0); // want "`bufferView` takes one template argument, a type: bufferView<T>(…) [invalid-type]"
  _ = bufferView<4>(&in, 0); // want "expected a type, found an expression [not-a-type]"
  _ = bufferView<n>(&in, 0); // want "`n` is a parameter, and a type is needed here [not-a-type]"
  _ = bufferLength<u32>(&in); // want "`bufferLength` takes no template arguments [invalid-type]"
  _ = bufferView<bool>(&in, 0); // want "`bufferView` needs a type that can be shared with the host, which bool, pointers and textures cannot, found bool [invalid-type]"
  _ = bufferView<array<vec2<bool>>>(&in, 0); // want "`bufferView` needs a type that can be shared with the host, which bool, pointers and textures cannot, found array<vec2<bool>> [invalid-type]"
  _ = bufferView<array<f32, bytes>>(&in, 0); // want "`bufferView` needs a type that can be shared with the host, which bool, pointers and textures cannot, found array<f32, bytes> [invalid-type]"
  _ = bufferView<ptr<private, u32>>(&in, 0); // want "`bufferView` needs a type that can be shared with the host, which bool, pointers and textures cannot, found ptr<private, u32> [invalid-type]"
  _ = bufferView<sampler>(&in, 0); // want "`bufferView` needs a type that can be shared with the host, which bool, pointers and textures cannot, found sampler [invalid-type]"
  _ = bufferView<atomic<u32>>(&out, 0); // want "`bufferView` needs a type without atomics, found atomic<u32> [invalid-type]"
  _ = bufferView<Locked>(&out, 0); // want "`bufferView` needs a type without atomics, found Locked [invalid-type]"
  _ = bufferView<buffer<4>>(&out, 0); // want "`bufferView` needs a type other than a buffer, found buffer<4> [invalid-type]"
  _ = bufferArrayView<array<u32, 4>>(&out, 0, 16); // want "`bufferArrayView` needs a runtime-sized array, or a structure that ends in one, found array<u32, 4> [invalid-type]"
  _ = bufferArrayView<Pair>(&out, 0, 16); // want "`bufferArrayView` needs a runtime-sized array, or a structure that ends in one, found Pair [invalid-type]"
  _ = bufferArrayView<array<atomic<u32>>>(&out, 0, 16); // want "`bufferArrayView` needs a type without atomics, found array<atomic<u32>> [invalid-type]"
  _ = bufferView<f32>(&out, 1.5); // want "`bufferView` does not take (ptr<storage, buffer, read_write>, abstract-float) [no-overload]"
  _ = bufferView<f32>(&out); // want "`bufferView` takes 2 arguments, found 1 argument [argument-count]"
  _ = bufferArrayView<array<f32>>(&out, 0); // want "`bufferArrayView` takes 3 arguments, found 2 arguments [argument-count]"
  _ = bufferView<f32>(bufferView<vec4f>(&out, 0), 0); // want "`bufferView` does not take (ptr<storage, vec4<f32>, read_write>, abstract-int) [no-overload]"
  _ = bufferLength(bufferView<array<u32>>(&out, 0)); // want "`bufferLength` does not take (ptr<storage, array<u32>, read_write>) [no-overload]"
  _ = bufferView<f32>(0, &out); // want "`bufferView` does not take (abstract-int, ptr<storage, buffer, read_write>) [no-overload]"
  bufferView<f32>(&out, 0); // want "the result of `bufferView` must be used [unused-result]"
  bufferLength(&out); // want "the result of `bufferLength` must be used [unused-result]"
  let x: u32 = bufferView<u32>(&out, 0); // want "cannot initialize a declaration of type u32: the value is ptr<storage, u32, read_write> [type-mismatch]"
  const c = bufferLength(&fixed); // want "the value of a constant must be a const-expression [not-constant]"
  *bufferView<u32>(&in, 0) = 1; // want "the storage variable is read-only [invalid-access]"
  *bufferView<u32>(&fixed, 0) = 1; // want "memory in address space uniform cannot be written here [invalid-access]"
  *bufferView<array<u32>>(&out, 0) = 1; // want "memory of type array<u32> cannot be assigned to [not-assignable]"
  bufferView<u32>(&out, 0) = 1; // want "this value cannot be assigned to [not-assignable]"
  _ = atomicAdd(bufferView<u32>(&out, 0), 1); // want "`atomicAdd` does not take (ptr<storage, u32, read_write>, abstract-int) [no-overload]"
  _ = &bufferView<vec4f>(&out, 0).x; // want "a component of a vector has no address [invalid-pointer]"
}
