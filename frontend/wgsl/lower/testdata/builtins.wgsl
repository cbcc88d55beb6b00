@group(0) @binding(0) var<storage, read_write> f: array<f32>;
@group(0) @binding(1) var<storage, read_write> v: array<vec3f>;
@group(0) @binding(2) var<storage, read_write> n: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let x = f[0];
  let a = v[0];
  let b = v[1];
  f[1] = select(x, 2.0, x > 1.0) + saturate(x) + degrees(x) + radians(x) + step(0.5, x);
  v[2] = mix(a, b, x) + mix(a, b, b) + select(a, b, a < b);
  f[2] = smoothstep(0.0, x, 0.5) + length(x) + length(a) + distance(a, b) + distance(x, 1.0);
  v[3] = normalize(a) + cross(a, b) + reflect(a, b) + faceForward(a, b, a);
  v[4] = refract(a, b, x);
  let parts = modf(x);
  let exponents = frexp(a);
  f[3] = parts.fract + parts.whole + ldexp(x, 3) + fma(x, x, x) + exp(x) + pow(x, 2.0);
  n[0] = u32(exponents.exp.x) + pack2x16float(a.xy) + countOneBits(n[1]) + dot4U8Packed(n[2], 3u);
  n[1] = insertBits(n[0], n[1], 2u, 3u) + arrayLength(&n) + u32(dot(vec2u(n[0]), vec2u(1u, 2u)));
}
