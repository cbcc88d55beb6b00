// Evaluation order: operands and arguments from left to right, each exactly
// once, a value loaded before a later call changes the variable, the index of
// an assignment's left side before its right side, and compound assignment of
// every operator.
@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 12>>;
@group(0) @binding(1) var<storage, read_write> accumulators: array<array<u32, 10>>;

var<private> trace: u32;

fn note(n: u32) -> u32 {
  trace = trace * 7u + n;
  return n;
}

fn bump(p: ptr<function, u32>) -> u32 {
  *p += 10u;
  return *p;
}

fn three(a: u32, b: u32, c: u32) -> u32 {
  return a * 100u + b * 10u + c;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  trace = i;
  results[i][0] = note(1u) - note(2u) * note(3u);
  results[i][1] = trace;
  results[i][2] = three(note(3u), note(1u), note(2u)) + trace;
  var a = array(10u, 20u, 30u, 40u);
  a[note(2u)] += note(5u);
  results[i][3] = a[2] + trace;
  a[note(1u)]++;
  results[i][4] = a[1] + trace;
  a[note(3u)] = note(4u) + trace;
  results[i][5] = a[3];
  var x = i;
  results[i][6] = x + bump(&x);
  results[i][7] = bump(&x) + x;
  x += bump(&x);
  results[i][8] = x;
  let v = vec3u(note(4u), note(5u), note(6u))[note(2u)];
  results[i][9] = v + trace;
  var y = vec2u(x, i);
  y = y.yx; // both components are read before either is written
  results[i][10] = y.x * 1000u + y.y;
  let before = trace;
  note(1u);
  results[i][11] = before * 7u + 1u - trace;

  accumulators[i][0] += i;
  accumulators[i][1] -= i;
  accumulators[i][2] *= i + 1u;
  accumulators[i][3] /= i + 1u;
  accumulators[i][4] %= i + 3u;
  accumulators[i][5] &= i * 5u;
  accumulators[i][6] |= i * 5u;
  accumulators[i][7] ^= i * 5u;
  accumulators[i][8] <<= i % 8u;
  accumulators[i][9] >>= i % 8u;
}
