// Prices of European options; the normal distribution by formula 26.2.17 of Abramowitz
// and Stegun's Handbook of Mathematical Functions.
@group(0) @binding(0) var<storage, read> spot: array<f32>;
@group(0) @binding(1) var<storage, read> strike: array<f32>;
@group(0) @binding(2) var<storage, read> years: array<f32>;
@group(0) @binding(3) var<storage, read_write> calls: array<f32>;
@group(0) @binding(4) var<storage, read_write> puts: array<f32>;

const rate = 0.02;
const volatility = 0.3;

fn normal(d: f32) -> f32 {
  let k = 1 / (1 + 0.2316419 * abs(d));
  let tail = 0.39894228 * exp(-0.5 * d * d) *
    (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
  return select(tail, 1 - tail, d > 0);
}

@compute @workgroup_size(256)
fn black_scholes(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i < arrayLength(&calls) {
    let s = spot[i];
    let x = strike[i];
    let t = years[i];
    let root = sqrt(t);
    let d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    let d2 = d1 - volatility * root;
    let n1 = normal(d1);
    let n2 = normal(d2);
    let discounted = x * exp(-rate * t);
    calls[i] = s * n1 - discounted * n2;
    puts[i] = discounted * (1 - n2) - s * (1 - n1);
  }
}
