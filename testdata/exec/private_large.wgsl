// Variables of an invocation that are larger than some drivers take: private and
// function arrays, nested structures, initial values, pointers to them, copies, and
// barriers in between.

struct Cell {
  on: bool,
  at: vec3<f32>,
  flags: vec2<bool>,
  turn: mat2x3<f32>,
}

struct Seeded {
  tag: u32,
  at: vec3<f32>,
  on: bool,
  table: array<u32, 12>,
  room: array<u32, 4000>,
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 10>>;

var<private> words: array<u32, 5120>;
var<private> cells: array<Cell, 200>;
var<private> seeded: Seeded = Seeded(7u, vec3<f32>(1.0, 2.0, 3.0), true,
  array<u32, 12>(2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u, 37u), array<u32, 4000>());
var<private> few: array<u32, 5> = array<u32, 5>(1u, 10u, 100u, 1000u, 10000u);
var<workgroup> passed_on: array<u32, 8>;

fn sum(p: ptr<function, array<u32, 5120>>, step: u32) -> u32 {
  var s = 0u;
  for (var i = 0u; i < 5120u; i += step) {
    s = s * 31u + (*p)[i];
  }
  return s;
}

fn fill(p: ptr<function, array<u32, 5120>>, add: u32) {
  for (var i = 0u; i < 5120u; i += 1u) {
    (*p)[(i * 7u) % 5120u] = words[i] + add;
  }
}

fn mark(i: u32) {
  let cell = &cells[i % 200u];
  (*cell).on = !(*cell).on;
  (*cell).at += vec3<f32>(1.0, 2.0, f32(i));
  (*cell).flags[i % 2u] = true;
  (*cell).turn[i % 2u][i % 3u] += 1.0;
  words[i] += 1u;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let n = id.x;
  let given = input[n];
  for (var i = 0u; i < 5120u; i += 1u) {
    words[i] ^= i * (n + 1u);
  }
  var own: array<u32, 5120>;
  fill(&own, given);
  results[n][0] = sum(&own, 1u + n % 3u);

  passed_on[local] = own[local * 100u];
  workgroupBarrier();
  own[5u] = passed_on[(local + 1u) % 8u];
  workgroupBarrier();
  results[n][1] = sum(&own, 5u) - own[5u];

  for (var k = 0u; k < 300u; k += 1u) {
    mark(k * 17u + n);
  }
  var on = 0u;
  var at = vec3<f32>();
  var flags = vec2<u32>();
  var turns = 0.0;
  for (var k = 0u; k < 200u; k += 1u) {
    let cell = cells[k];
    on += select(0u, k, cell.on);
    at += cell.at;
    flags += select(vec2<u32>(), vec2<u32>(1u, 1000u), cell.flags);
    turns += cell.turn[0].x + cell.turn[1].z;
  }
  results[n][2] = on;
  results[n][3] = u32(at.x) + 10000u * u32(at.y);
  results[n][4] = u32(at.z);
  results[n][5] = flags.x + flags.y;
  results[n][6] = u32(turns) + words[n] + words[17u * 299u + n];

  seeded.room[n * 61u] = seeded.table[n % 12u] + few[n % 5u];
  var other = seeded;
  other.room[n * 61u + 1u] = other.room[n * 61u] * other.tag;
  seeded.room[n * 61u] = u32(other.at.y) + u32(other.on);
  results[n][7] = other.room[n * 61u + 1u] + seeded.room[n * 61u] + seeded.room[n * 61u + 1u];

  let last = cells[n];
  cells = array<Cell, 200>();
  results[n][8] = u32(cells[n].on) + u32(cells[(n + 100u) % 200u].at.x) + u32(cells[199u - n].turn[1].y);
  cells[given % 200u] = last;
  results[n][9] = u32(cells[given % 200u].at.x) + 100u * u32(any(cells[given % 200u].flags));
}
