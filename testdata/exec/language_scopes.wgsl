// Names: shadowing of module constants, parameters and loop variables by let,
// var and const; private variables with and without initialisers that live for
// the whole invocation; variables in loops that are new, and zero, in each
// iteration (which a compiler that moves them out of the loop forgets);
// phony assignments that keep a call's effect.
const base = 5u;

@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 8>>;

var<private> calls: u32;
var<private> seed: u32 = base * 2u;
var<private> table: array<u32, 4> = array(3u, 1u, 4u, 1u);

fn bump(base: u32) -> u32 { // the parameter hides the constant
  calls++;
  seed = seed * 3u + base;
  return seed;
}

fn shadows(x: u32) -> u32 {
  let y = x + base;
  var r = y;
  {
    let y = y * 2u;
    const base = 100u;
    r += y + base;
    {
      var y = y + 1u;
      y *= 2u;
      r += y;
    }
    r += y;
  }
  for (var x = 0u; x < 3u; x++) {
    let y = x;
    r += y;
  }
  if x > 2u {
    let r = 7u;
    return r + x;
  }
  return r + y;
}

fn fresh(n: u32) -> u32 {
  var sum = 0u;
  for (var i = 0u; i < n; i++) {
    var counter: u32; // zero in every iteration
    counter += i;
    sum = sum * 2u + counter;
  }
  return sum;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  _ = bump(i);
  let first = bump(base);
  table[i % 4u] += bump(1u);
  results[i][0] = calls;
  results[i][1] = first;
  results[i][2] = seed;
  results[i][3] = table[0] + table[1] * 2u + table[2] * 3u + table[3] * 4u;
  results[i][4] = shadows(i);
  results[i][5] = fresh(i % 7u);
  var arrayLength = 3u; // a builtin's name is not reserved
  arrayLength += i;
  results[i][6] = arrayLength;
  results[i][7] = base;
}
