// switch: clauses with nothing in them, at every place among others: the first,
// the last, the default, next to each other. A switch of such clauses has fewer
// blocks of code than clauses, and each block must still end behind the switch.
@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 48>, 10>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3u) {
  let i = i32(l) - 2;
  switch l { default: {} case 6u: {} case 9u: { results[0][g.x] = 77u; } }
  switch l { case 1u: { results[1][g.x] = 10u; } case 2u: {} case 3u: { results[1][g.x] = 30u; } default: { results[1][g.x] = 40u; } }
  switch l {
    case 0u: { results[2][g.x] = 5u; }
    default: {}
    case 4u: {}
    case 5u, 6u: { results[2][g.x] = 50u; }
    case 7u: {}
    case 8u: { results[2][g.x] = 80u; }
  }
  switch i { default: { results[3][g.x] = 1u; } case -1: {} case 0, 2: { results[3][g.x] = 2u; } case 3: {} }
  switch i { case -2: {} case -1: { results[4][g.x] = 1u; } case 5, default: {} case 6: { results[4][g.x] = 2u; } }
  // what an empty clause passes on is what was before
  var carried = l * 3u;
  switch l & 3u { case 0u: {} case 1u: { carried += 100u; } case 2u: { break; } default: {} }
  results[5][g.x] = carried;
  // an empty clause in front of one that leaves in the middle
  switch l {
    case 1u: {}
    case 2u: { if (carried & 1u) == 0u { break; } results[6][g.x] = 9u; }
    case 3u: {}
    case 4u: { results[6][g.x] = 4u; }
    default: { if l > 8u { results[6][g.x] = l; break; } }
  }
  // clauses that continue a loop without doing anything
  var count = 0u;
  for (var k = 0u; k < 16u; k++) {
    switch (k ^ l) & 7u {
      case 0u: { continue; }
      case 1u: {}
      case 2u: { continue; }
      default: { count += 16u; }
      case 3u, 4u: {}
      case 5u: { count += 1u; continue; }
    }
    count += 256u;
  }
  results[7][g.x] = count;
  // one switch in an empty-handed clause of another
  switch l & 1u {
    case 0u: { switch l { case 2u: {} case 4u: { results[8][g.x] = 3u; } default: {} } }
    default: { switch l { default: { results[8][g.x] = 6u; } case 3u: {} case 5u: {} } }
  }
  // only the default, and it is empty
  switch l { default: {} }
  switch l { case 3u, 4u, default: {} case 5u: {} }
  results[9][g.x] = l + 1u;
}
