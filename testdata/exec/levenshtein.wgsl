// Edit distances of pairs of words by dynamic programming: a private row that
// is read and overwritten in one pass, bytes from packed storage, nested minima.
const longest = 16u;

struct Job {
  a: u32, // places of the words in text, in bytes
  a_length: u32,
  b: u32,
  b_length: u32,
}

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> jobs: array<Job>;
@group(0) @binding(2) var<storage, read_write> distances: array<u32>;

fn letter(at: u32) -> u32 {
  return (text[at / 4u] >> ((at % 4u) * 8u)) & 0xffu;
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&jobs) {
    return;
  }
  let job = jobs[id.x];
  var row: array<u32, longest + 1>;
  for (var j = 0u; j <= job.b_length; j++) {
    row[j] = j;
  }
  for (var i = 0u; i < job.a_length; i++) {
    var diagonal = row[0];
    row[0] = i + 1u;
    let mine = letter(job.a + i);
    for (var j = 0u; j < job.b_length; j++) {
      let above = row[j + 1u];
      let change = diagonal + u32(mine != letter(job.b + j));
      row[j + 1u] = min(change, min(above, row[j]) + 1u);
      diagonal = above;
    }
  }
  distances[id.x] = row[job.b_length];
}
