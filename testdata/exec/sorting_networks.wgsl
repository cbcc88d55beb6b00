// Sixteen numbers of an invocation, sorted in three ways whose compares have places that are known:
// Batcher's network, a bitonic one, and insertion, whose inner loop is a triangle.
@group(0) @binding(0) var<storage, read> numbers: array<array<u32, 16>>;
@group(0) @binding(1) var<storage, read_write> merged: array<array<u32, 16>>;
@group(0) @binding(2) var<storage, read_write> bitonic: array<array<u32, 16>>;
@group(0) @binding(3) var<storage, read_write> inserted: array<array<u32, 16>>;
@group(0) @binding(4) var<storage, read_write> swaps: array<u32>;

var<private> swapped: u32;

fn exchange(s: ptr<function, array<u32, 16>>, i: u32, j: u32) {
  if s[i] > s[j] {
    let x = s[i];
    s[i] = s[j];
    s[j] = x;
    swapped++;
  }
}

fn batcher(s: ptr<function, array<u32, 16>>) {
  for (var p = 1u; p < 16u; p *= 2u) {
    for (var k = p; k >= 1u; k /= 2u) {
      for (var j = k % p; j + k < 16u; j += 2u * k) {
        for (var i = 0u; i < min(k, 16u - j - k); i++) {
          if (i + j) / (2u * p) == (i + j + k) / (2u * p) {
            exchange(s, i + j, i + j + k);
          }
        }
      }
    }
  }
}

// sorted takes the array by its value, and returns it.
fn sorted(numbers: array<u32, 16>) -> array<u32, 16> {
  var s = numbers;
  for (var k = 2u; k <= 16u; k *= 2u) {
    for (var j = k / 2u; j > 0u; j /= 2u) {
      for (var i = 0u; i < 16u; i++) {
        if (i ^ j) > i {
          if (i & k) == 0u {
            exchange(&s, i, i ^ j);
          } else {
            exchange(&s, i ^ j, i);
          }
        }
      }
    }
  }
  return s;
}

fn insertion(s: ptr<function, array<u32, 16>>) {
  for (var i = 1u; i < 16u; i++) {
    for (var j = i; j > 0u; j--) {
      if s[j - 1u] <= s[j] {
        break;
      }
      exchange(s, j - 1u, j);
    }
  }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&swaps) {
    return;
  }
  var s = numbers[id.x];
  batcher(&s);
  merged[id.x] = s;
  bitonic[id.x] = sorted(numbers[id.x]);
  swapped = 0u;
  var t = numbers[id.x];
  insertion(&t);
  inserted[id.x] = t;
  swaps[id.x] = swapped;
}
