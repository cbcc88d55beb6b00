@group(0) @binding(0) var<storage, read_write> data: array<i32>;

fn sign_of(x: i32) -> i32 {
  if x < 0 {
    return -1;
  } else if x == 0 {
    return 0;
  }
  return 1;
}

fn all_return(x: i32) -> i32 {
  switch x {
    case 1, 2 {
      return 5;
    }
    case 3, default: {
      return 6;
    }
  }
}

fn endless(x: i32) -> i32 {
  var i = x;
  loop {
    i++;
    if i > 10 {
      return i;
    }
  }
}

fn without_continue(x: i32) -> i32 {
  loop {
    if x > 2 {
      return 1;
    }
    break;
  }
  return 2;
}

fn nested(n: i32) -> i32 {
  var sum = 0;
  for (var i = 0; i < n; i++) {
    switch i % 4 {
      case 0 {
        continue;
      }
      case 1 {
        if i == 9 {
          break;
        }
        sum += 1;
      }
      default {
        sum -= 1;
      }
    }
    var j = i;
    while j > 0 {
      j -= 3;
      if j == 1 {
        break;
      }
      sum++;
    }
  }
  return sum;
}

fn forever() {
  for (;;) {
    if data[0] == 1 {
      return;
    }
    while true {
      break;
    }
  }
}

@compute @workgroup_size(1)
fn main() {
  let x = data[0];
  if x > 100 {
    return;
  }
  forever();
  data[1] = sign_of(x) + all_return(x) + endless(x) + without_continue(x) + nested(x);
  {
    data[2] = x;
    return;
  }
}
