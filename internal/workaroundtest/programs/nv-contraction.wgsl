// (1000.3 - x) * 3.3 for the x next below 1000.3 is 2.01e-4. With 1000.3 * 3.3 rounded it is 2.44e-4.
// @buffer d f32 1000.29993
// @buffer o u32 zeros 1
@group(0) @binding(0) var<storage, read> d: array<f32, 1>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 1>;

@compute @workgroup_size(1)
fn main() {
  let y = (1000.3f - d[0]) * 3.3f;
  o[0] = select(0u, 1u, y > 1.9e-4f && y < 2.1e-4f);
}
