// Compare-exchange loops: a maximum of floats by their value, a product modulo
// a prime, and a list pushed from all invocations at once whose links a last
// dispatch walks.
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> greatest: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> product: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> head: atomic<i32>;
@group(0) @binding(4) var<storage, read_write> links: array<i32>;
@group(0) @binding(5) var<storage, read_write> totals: vec2u;

const prime = 65521u;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&data) {
    return;
  }
  let x = data[id.x];
  var old = atomicLoad(&greatest);
  while bitcast<f32>(old) < x {
    let r = atomicCompareExchangeWeak(&greatest, old, bitcast<u32>(x));
    if r.exchanged {
      break;
    }
    old = r.old_value;
  }
  let factor = id.x % (prime - 1u) + 1u;
  var before = atomicLoad(&product);
  loop {
    let r = atomicCompareExchangeWeak(&product, before, before * factor % prime);
    before = r.old_value;
    if r.exchanged {
      break;
    }
  }
  loop {
    let next = atomicLoad(&head);
    links[id.x] = next;
    if atomicCompareExchangeWeak(&head, next, i32(id.x)).exchanged {
      break;
    }
  }
}

@compute @workgroup_size(1)
fn walk() {
  var at = atomicLoad(&head);
  var length = 0u;
  var sum = 0u;
  while at >= 0 && length <= arrayLength(&links) {
    length++;
    sum += u32(at);
    at = links[at];
  }
  totals = vec2u(length, sum);
}

@compute @workgroup_size(32)
fn clear(@builtin(global_invocation_id) id: vec3u) {
  // The order of the list is the order of arrival: nothing to compare.
  if id.x < arrayLength(&links) {
    links[id.x] = 0;
    atomicStore(&head, -1);
  }
}
