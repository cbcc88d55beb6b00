// The edit distance of two words of 256 letters, one pair to a workgroup, by
// anti-diagonals: each invocation has a row, and three diagonals take turns.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> distances: array<u32>;

var<workgroup> diagonals: array<array<u32, 257>, 3>;
var<workgroup> letters: array<u32, 256>;

@compute @workgroup_size(256)
fn levenshtein(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let letter = a[group.x * 256 + t];
  letters[t] = b[group.x * 256 + t];
  if t == 0 {
    diagonals[0][0] = 0;
    diagonals[1][0] = 1;
    diagonals[1][1] = 1;
  }
  workgroupBarrier();
  let row = t + 1;
  for (var d = 2u; d <= 512; d++) {
    let to = d % 3;
    let last = (d + 2) % 3;
    let before = (d + 1) % 3;
    if t == 0 {
      diagonals[to][0] = d;
    }
    if d == row {
      diagonals[to][row] = row;
    } else if d > row && d - row <= 256 {
      let column = d - row;
      let change = select(1u, 0u, letter == letters[column - 1]);
      let step = min(diagonals[last][row - 1], diagonals[last][row]) + 1;
      diagonals[to][row] = min(step, diagonals[before][row - 1] + change);
    }
    workgroupBarrier();
  }
  if t == 255 {
    distances[group.x] = diagonals[512 % 3][256];
  }
}
