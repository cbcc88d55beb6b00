// Every form of loop: loop with continuing and break if, while, for with parts
// missing, continue through a continuing block, and values carried around in
// which two variables swap (the order of phi moves).
@group(0) @binding(0) var<storage, read_write> results: array<array<u32, 6>>;

fn greatest_common_divisor(x: u32, y: u32) -> u32 {
  var a = x;
  var b = y;
  while b != 0u {
    let t = a % b;
    a = b;
    b = t;
  }
  return a;
}

fn fibonacci(n: u32) -> u32 {
  var a = 0u;
  var b = 1u;
  for (var i = n; i > 0u; i--) {
    let t = a + b;
    a = b;
    b = t;
  }
  return a;
}

fn sum_of_odds(n: u32) -> u32 {
  var i = 0u;
  var sum = 0u;
  loop {
    if i % 2u == 0u {
      continue;
    }
    sum += i;

    continuing {
      i++;
      break if i >= n;
    }
  }
  return sum;
}

fn swapped(n: u32) -> u32 {
  var a = 1u;
  var b = 2u;
  var i = 0u;
  loop {
    if i == n {
      break;
    }
    let t = a;
    a = b;
    b = t;
    continuing {
      // What the body declared is visible here.
      i += select(1u, 1u, t > 0u);
    }
  }
  return a * 10u + b;
}

fn digits(n: u32) -> u32 {
  var rest = n;
  var count = 0u;
  for (; ;) {
    count++;
    rest /= 10u;
    if rest == 0u {
      break;
    }
  }
  return count;
}

fn triangle(n: u32) -> u32 {
  var count = 0u;
  for (var i = 0u; i < n; i++) {
    for (var j = 0u; j < n; j++) {
      if j > i {
        break;
      }
      if (i + j) % 3u == 0u {
        continue;
      }
      for (var k = j; k < i; k += 2u) {
        count += k;
      }
    }
  }
  return count;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let n = id.x;
  if n >= arrayLength(&results) {
    return;
  }
  results[n][0] = greatest_common_divisor(n * 12u, 90u);
  results[n][1] = fibonacci(n);
  results[n][2] = sum_of_odds(n);
  results[n][3] = swapped(n);
  results[n][4] = digits(n * n * n);
  results[n][5] = triangle(n);
}
