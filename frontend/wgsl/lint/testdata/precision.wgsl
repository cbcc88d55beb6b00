// Numbers that are not what was written.
enable f16;

const pi = 3.14159265358979323846;
const large = 1e30 + 1e-60; // of no type that rounds

fn literals(x: f32) -> f32 {
  var y = x + 16777217.0; // want "`16777217.0` is 16777216 as f32 [inexact-literal]"
  y += 16777217; // want "`16777217` is 16777216 as f32 [inexact-literal]"
  y += 123456789f; // want "`123456789` is 123456792 as f32 [inexact-literal]"
  y += 16777218.0 + x * 16777216.0 - 100000000000.0 * x + 1e11 * x + 4294967295.0 * x;
  y += x * 0.1 + 3.14159265358979323846 * x + 43758.5453123 * x + 0x1000001p0 * x;
  y += x * 1e-46; // want "`1e-46` is 0 as f32 [inexact-literal]"
  y += x * 1e-40; // want "devices may take `1e-40` for 0 [inexact-literal]"
  y += x * 1.2e-38 + 0.0 * x;
  return y;
}
fn halves(x: f16) -> f16 {
  return x * 2049h + // want "`2049` is 2048 as f16 [inexact-literal]"
    x * 2050h + 1e-4h +
    1e-6h; // want "devices may take `1e-6` for 0 [inexact-literal]"
}
fn divisions(x: f32, i: u32, n: u32, s: i32) -> f32 {
  var y = x * (1 / 2); // want "`1 / 2` divides integers, and is 0 [integer-division]"
  y += f32(7 / 2); // want "`7 / 2` divides integers, and is 3 [integer-division]"
  y += f32(-7i / 2i); // want "`-7i / 2i` divides integers, and is -3 [integer-division]"
  y += f32(1u / n); // want "`1u / n` divides integers, and is 0 unless the divisor is 1 [integer-division]"
  y += f32(i / n) + f32(i / 2u) + f32(6 / 2) + x * (8 / 4) + f32(s / 3) + f32(64u / n);
  let whole = 7 / 2;
  y = select(y, 1 / 3, whole > 3); // want "`1 / 3` divides integers, and is 0 [integer-division]"
  return y + 1.0 / 2.0;
}
