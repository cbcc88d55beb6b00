// Sign bits that bitwise operations set, and quotients by negative powers of two in minima and
// maxima. NVIDIA's compilers lose the signs of both (passes negativeshifts and extremes).
@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> results: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&data) {
    return;
  }
  let x = data[i];
  let y = i32(i);
  let least = -0x7fffffff - 1;
  results[i * 8] = (x | -1272209273) >> 3;
  results[i * 8 + 1] = i32(bitcast<u32>((x | least) >> 1) >> 31);
  results[i * 8 + 2] = ~(x & 0x7fffffff) >> 5;
  results[i * 8 + 3] = select(0, 1, ((x & 0x7fffffff) + least) >> 2 < 0);
  results[i * 8 + 4] = ((x | 64) << 25) >> 7;
  results[i * 8 + 5] = min(min(x, x / -128), y);
  results[i * 8 + 6] = max(max(x, x / -2), -y);
  results[i * 8 + 7] = (((x | -256) >> 3) | x) % 7;
}
