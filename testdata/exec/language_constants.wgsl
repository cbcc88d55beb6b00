// Const-evaluation: the same expressions as constants and on values that only
// the buffer knows must agree. Abstract numbers, const arrays of structs,
// vectors and matrices indexed by constants and by data, aliases, const_assert,
// builtins and shifts at compile time.
alias Word = u32;
alias Row = array<i32, 4>;

struct Entry {
  name: Word,
  weights: vec3f,
}

const big = 1 << 40; // an abstract integer has 64 bits
const shifted = (big >> 36) + 3; // 19
const ratio = 1.0 / 3 * 3; // abstract floats have 53 bits
const rows = array<Row, 3>(Row(1, 2, 3, 4), Row(-1, -2, -3, -4), Row());
const entries = array(
  Entry(10u, vec3f(0.5, 1, 2)),
  Entry(20u, vec3f(0.25) * 3),
  Entry(30u, vec3f(mat2x3f(1, 2, 3, 4, 5, 6)[1])),
);
const diagonal = mat2x2f(2, 0, 0, 3) * vec2f(5, 7);
const span = length(vec2(3.0, 4.0)); // exact for a multiple of 3, 4, 5

const_assert shifted == 19;
const_assert ratio == 1.0 && diagonal.y == 21.0;
const_assert countOneBits(0xF0F0u) == 8 && max(3, -7) == 3 && (5 / -2) == -2 && (-5 % 3) == -2;

@group(0) @binding(0) var<storage, read> data: array<i32>; // 0, 1, 2, ...
@group(0) @binding(1) var<storage, read_write> results: array<array<i32, 8>>;
@group(0) @binding(2) var<storage, read_write> floats: array<vec4f>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let n = data[i];
  let zero = data[0];
  let entry = entries[n % 3];
  var r: array<i32, 8>;
  r[0] = rows[n % 3][(n / 3) % 4];
  r[1] = i32(entry.name) + rows[1][2];
  r[2] = shifted + n;
  // Compile time and run time side by side: the difference must be zero.
  r[3] = (-7 / 2) - ((zero - 7) / (zero + 2));
  r[4] = (-7 % 4) - ((zero - 7) % (zero + 4));
  r[5] = i32(extractBits(0xdeadbeefu, 8, 12)) - i32(extractBits(0xdeadbeefu + u32(zero), 8, 12));
  r[6] = firstLeadingBit(-300) - firstLeadingBit(zero - 300);
  r[7] = (0x7fffffff ^ 0x12345678) - ((zero + 0x7fffffff) ^ 0x12345678);
  results[i] = r;
  floats[i] = vec4f(
    entry.weights[n % 3],
    round(2.5) - round(2.5 + f32(zero)),
    f32(ratio) + diagonal.x,
    round(span * 16),
  );
}
