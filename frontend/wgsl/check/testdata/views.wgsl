// Views of buffers (WGSL §17.14).
requires buffer_view, uniform_buffer_standard_layout;
override bytes: u32 = 64;
const granule = 16;
struct Pair { a: u32, b: vec2f }
struct Tail { head: vec3f, rest: array<vec2u> }
struct Locked { n: u32, lock: atomic<u32> }
@group(0) @binding(0) var<storage> in: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer;
@group(0) @binding(2) var<storage, read_write> page: buffer<64>;
@group(0) @binding(3) var<uniform> fixed: buffer<64>;
var<workgroup> shared_bytes: buffer<256>;
var<workgroup> chosen: buffer<bytes>;

fn element(p: ptr<uniform, array<f32>>, i: u32) -> f32 { return p[i] + f32(arrayLength(p)); }
fn element_shared(p: ptr<workgroup, array<vec4u>>, i: u32) { (*p)[i].x += arrayLength(p); }
fn scalar_of(p: ptr<storage, f32, read_write>) { *p = 2; }
fn views(n: u32, i: i32) -> u32 {
  let p = bufferView<vec4u>(&in, n);
  *bufferView<vec4u>(&out, i) = *p;
  *bufferView<u32>(&out, 4) += p.x;
  bufferView<array<f32>>(&out, 8)[n] = bufferView<array<f32>>(&in, 4)[i];
  (*bufferView<Pair>(&page, 8)).a++;
  bufferView<Pair>(&page, 8u).b.x -= 2;
  let q = &(*bufferView<array<Pair, 4>>(&page, 0))[i];
  (*q).b = vec2f();
  scalar_of(bufferView<f32>(&page, 60));
  scalar_of(&bufferView<array<f32, 3>>(&page, 0)[2]);
  element_shared(bufferView<array<vec4u>>(&shared_bytes, n), n);
  _ = element(bufferView<array<f32>>(&fixed, 0), n);
  _ = bufferView<mat4x4f>(&fixed, 0);
  let t = bufferArrayView<Tail>(&in, n, 40);
  let u = bufferArrayView<array<vec3f>>(&in, 16, n);
  let all: ptr<storage, buffer> = &in;
  let nested = bufferView<array<array<u32, 4>, 4>>(all, bufferLength(all) / 2);
  return arrayLength(bufferArrayView<array<Pair>>(&out, n, i)) + arrayLength(&t.rest) + bufferLength(&fixed) + bufferLength(&chosen) + nested[1][2];
}
@compute @workgroup_size(1)
fn uniform_load() {
  _ = workgroupUniformLoad(bufferView<Pair>(&shared_bytes, 16));
  _ = workgroupUniformLoad(bufferView<array<u32>>(&shared_bytes, 16)); // want "`workgroupUniformLoad` does not take (ptr<workgroup, array<u32>>) [no-overload]"
}
// offsets and sizes that are known
fn offsets(n: u32, k: i32) {
  _ = bufferView<u32>(&in, -4); // want "the offset of `bufferView` must be at least 0, found -4 [evaluation-error]"
  _ = bufferView<u32>(&in, 2); // want "the offset of `bufferView` must be a multiple of 4, the alignment of u32, found 2 [evaluation-error]"
  _ = bufferView<vec3f>(&in, 8u); // want "the offset of `bufferView` must be a multiple of 16, the alignment of vec3<f32>, found 8 [evaluation-error]"
  _ = bufferView<Pair>(&fixed, granule / 4); // want "the offset of `bufferView` must be a multiple of 8, the alignment of Pair, found 4 [evaluation-error]"
  _ = bufferView<array<u32>>(&fixed, 4);
  _ = bufferView<u32>(&in, 0x40000000);
  _ = bufferView<u32>(&in, 3000000000); // want "the value 3000000000 is out of range of i32 [evaluation-error]"
  _ = bufferView<u32>(&in, 3000000000u);
  _ = bufferView<vec4f>(&page, 48);
  _ = bufferView<vec4f>(&page, 64); // want "16 bytes at offset 64 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferView<u32>(&page, 0x7ffffffc); // want "4 bytes at offset 2147483644 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferView<array<vec4f>>(&page, 48);
  _ = bufferView<array<vec4f, 4>>(&page, n);
  _ = bufferView<array<vec4f, 4>>(&page, 16); // want "64 bytes at offset 16 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferView<array<vec4f, 5>>(&page, n); // want "array<vec4<f32>, 5> needs at least 80 bytes, and buffer<64> has fewer [evaluation-error]"
  _ = bufferView<array<vec4f, 5>>(&chosen, n);
  _ = bufferView<Tail>(&page, 48); // want "24 bytes at offset 48 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferView<u32>(&chosen, -4); // want "the offset of `bufferView` must be at least 0, found -4 [evaluation-error]"
  let late = 2;
  _ = bufferView<u32>(&in, late);
  _ = bufferArrayView<array<u32>>(&in, -4, 4); // want "the offset of `bufferArrayView` must be at least 0, found -4 [evaluation-error]"
  _ = bufferArrayView<array<u32>>(&in, n, -4); // want "the size of `bufferArrayView` must be at least 0, found -4 [evaluation-error]"
  _ = bufferArrayView<array<u32>>(&in, k, 0); // want "the size of `bufferArrayView` must be at least 4, what one element of array<u32> needs, found 0 [evaluation-error]"
  _ = bufferArrayView<array<vec3f>>(&in, n, 40); // want "the size of `bufferArrayView` must be a multiple of 16, so that array<vec3<f32>> has whole elements, found 40 [evaluation-error]"
  _ = bufferArrayView<Tail>(&in, n, 16); // want "the size of `bufferArrayView` must be at least 24, what one element of Tail needs, found 16 [evaluation-error]"
  _ = bufferArrayView<Tail>(&in, n, 32);
  _ = bufferArrayView<Tail>(&in, n, 36u); // want "the size of `bufferArrayView` must be 16 plus a multiple of 8, so that Tail has whole elements, found 36 [evaluation-error]"
  _ = bufferArrayView<array<vec2u>>(&in, 4, n); // want "the offset of `bufferArrayView` must be a multiple of 8, the alignment of array<vec2<u32>>, found 4 [evaluation-error]"
  _ = bufferArrayView<array<vec2u>>(&in, 4, 4); // want "the offset of `bufferArrayView` must be a multiple of 8, the alignment of array<vec2<u32>>, found 4 [evaluation-error]" "the size of `bufferArrayView` must be at least 8, what one element of array<vec2<u32>> needs, found 4 [evaluation-error]"
  _ = bufferArrayView<array<u32>>(&page, 16, 48);
  _ = bufferArrayView<array<u32>>(&page, 16, 52); // want "52 bytes at offset 16 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferArrayView<array<u32>>(&page, n, 68); // want "the size of `bufferArrayView` is greater than that of buffer<64>: 68 [evaluation-error]"
  _ = bufferArrayView<array<u32>>(&page, 64, n);
  _ = bufferArrayView<array<u32>>(&page, 68, n); // want "offset 68 would lie outside of buffer<64> [evaluation-error]"
  _ = bufferArrayView<array<mat4x4f>>(&shared_bytes, n, n);
  _ = bufferArrayView<array<array<mat4x4f, 5>>>(&shared_bytes, n, n); // want "array<array<mat4x4<f32>, 5>> needs at least 320 bytes, and buffer<256> has fewer [evaluation-error]"
}

// A view leads to the variable or parameter that it looks at (WGSL §11.4.1).
fn write_both(a: ptr<storage, u32, read_write>, b: ptr<storage, u32, read_write>) { *a = 1; *b = 2; }
fn read_both(a: ptr<storage, u32, read_write>, b: ptr<storage, u32, read_write>) -> u32 { return *a + *b; }
fn write_one(a: ptr<storage, u32, read_write>) { *bufferView<u32>(&out, 0) = *a; }
fn through(a: ptr<storage, buffer, read_write>) { *bufferView<u32>(a, 0) = 1; }
fn only_length(a: ptr<storage, buffer, read_write>) -> u32 { *bufferView<u32>(&page, 0) = 1; return bufferLength(a); }
fn aliases() {
  let whole = &page;
  let p = bufferView<u32>(whole, 0);
  write_both(p, bufferView<u32>(&page, 8)); // want "arguments 1 and 2 point into the same variable, and the function writes through one of them [aliasing]"
  write_both(p, bufferView<u32>(&out, 8));
  _ = read_both(p, bufferView<u32>(&page, 8));
  write_one(p);
  write_one(bufferView<u32>(&out, 4)); // want "argument 1 points to `out`, which the function also uses by its name, and one of them is written [aliasing]"
  through(&page);
  _ = only_length(&page);
}
fn through_and_named(a: ptr<storage, buffer, read_write>) -> u32 { through(a); return *bufferView<u32>(&page, 0); }
fn passes_on() {
  _ = through_and_named(&out);
  _ = through_and_named(&page); // want "argument 1 points to `page`, which the function also uses by its name, and one of them is written [aliasing]"
}

// What is meant by a name that is spelled alike
fn spelled() {
  _ = bufferveiw<u32>(&in, 0); // want "there is no function or type named `bufferveiw` [unknown-name]"
  let p: ptr<storage, bufer> = &in; // want "there is no type named `bufer` [unknown-name]"
}
