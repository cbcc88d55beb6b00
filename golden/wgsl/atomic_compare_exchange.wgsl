// WGSL written by gpuc: kernel main

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> greatest: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> product: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> head: atomic<i32>;
@group(0) @binding(4) var<storage, read_write> links: array<i32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&data) {
    return;
  }
  let x = data[id.x];
  let old = atomicLoad(&greatest);
  let t = bitcast<u32>(x);
  var old_1 = old;
  while bitcast<f32>(old_1) < x {
    let t_1 = old_1;
    var old_2: u32;
    loop {
      let exchange = atomicCompareExchangeWeak(&greatest, t_1, t);
      old_2 = exchange.old_value;
      if exchange.exchanged == (old_2 == t_1) {
        break;
      }
    }
    if old_2 == old_1 {
      break;
    }
    old_1 = old_2;
  }
  let factor = id.x % 65520u + 1u;
  let before = atomicLoad(&product);
  var before_1 = before;
  loop {
    let t_1 = before_1;
    var old_2: u32;
    loop {
      let exchange = atomicCompareExchangeWeak(&product, t_1, factor * before_1 % 65521u);
      old_2 = exchange.old_value;
      if exchange.exchanged == (old_2 == t_1) {
        break;
      }
    }
    if old_2 == before_1 {
      break;
    }
    before_1 = old_2;
  }
  let t_1 = i32(id.x);
  loop {
    let next = atomicLoad(&head);
    links[id.x] = next;
    var old_2: i32;
    loop {
      let exchange = atomicCompareExchangeWeak(&head, next, t_1);
      old_2 = exchange.old_value;
      if exchange.exchanged == (old_2 == next) {
        break;
      }
    }
    if next == old_2 {
      break;
    }
  }
}
