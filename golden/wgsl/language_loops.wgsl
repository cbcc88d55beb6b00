// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 6>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let n = id.x;
  if n >= arrayLength(&results) {
    return;
  }
  var a = n * 12u;
  var b = 90u;
  loop {
    var b_1: u32;
    if b == 0u {
      break;
    }
    b_1 = a % b;
    continuing {
      a = b;
      b = b_1;
    }
  }
  results[n][0] = a;
  var a_1 = 0u;
  var b_1 = 1u;
  var i = n;
  loop {
    var b_2: u32;
    if i == 0u {
      break;
    }
    b_2 = a_1 + b_1;
    continuing {
      a_1 = b_1;
      b_1 = b_2;
      i--;
    }
  }
  results[n][1] = a_1;
  var i_1 = 0u;
  var sum = 0u;
  loop {
    var sum_1: u32;
    if (i_1 & 1u) == 0u {
      sum_1 = sum;
      continue;
    }
    sum_1 = i_1 + sum;
    continuing {
      let i_2 = i_1 + 1u;
      i_1 = i_2;
      sum = sum_1;
      break if i_2 >= n;
    }
  }
  results[n][2] = sum;
  var a_2 = 1u;
  var b_2 = 2u;
  var i_2 = 0u;
  loop {
    if n == i_2 {
      break;
    }
    continuing {
      i_2++;
      let t = a_2;
      a_2 = b_2;
      b_2 = t;
    }
  }
  results[n][3] = a_2 * 10u + b_2;
  var count_1: u32;
  var rest = n * (n * n);
  var count = 0u;
  loop {
    let count_2 = count + 1u;
    let rest_1 = rest / 10u;
    if rest_1 == 0u {
      count_1 = count_2;
      break;
    }
    rest = rest_1;
    count = count_2;
  }
  results[n][4] = count_1;
  var count_2 = 0u;
  for (var i_3 = 0u; i_3 < n; i_3++) {
    for (var j = 0u; j < n; j++) {
      if j > i_3 {
        break;
      }
      if (i_3 + j) % 3u == 0u {
        continue;
      }
      for (var k = j; k < i_3; k += 2u) {
        count_2 += k;
      }
    }
  }
  results[n][5] = count_2;
}
