// WGSL written by gpuc: kernel main

struct Parameters {
  a: f32,
  count: u32,
}

struct fault_record_1 {
  site: atomic<u32>,
  index: u32,
  length: u32,
  invocation: vec3u,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> fault_record: fault_record_1;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let t = arrayLength(&y);
  let t_1 = arrayLength(&x);
  let i = id.x;
  if i >= parameters.count {
    return;
  }
  if i >= t_1 {
    var old: u32;
    loop {
      let exchange = atomicCompareExchangeWeak(&fault_record.site, 0u, 1u);
      old = exchange.old_value;
      if exchange.exchanged == (old == 0u) {
        break;
      }
    }
    if old == 0u {
      fault_record.index = i;
      fault_record.length = t_1;
      fault_record.invocation = id;
    }
  }
  let t_2 = i < t;
  if !t_2 {
    var old: u32;
    loop {
      let exchange = atomicCompareExchangeWeak(&fault_record.site, 0u, 2u);
      old = exchange.old_value;
      if exchange.exchanged == (old == 0u) {
        break;
      }
    }
    if old == 0u {
      fault_record.index = i;
      fault_record.length = t;
      fault_record.invocation = id;
    }
  }
  let t_3 = parameters.a * x[i] + y[i];
  if !t_2 {
    var old: u32;
    loop {
      let exchange = atomicCompareExchangeWeak(&fault_record.site, 0u, 3u);
      old = exchange.old_value;
      if exchange.exchanged == (old == 0u) {
        break;
      }
    }
    if old == 0u {
      fault_record.index = i;
      fault_record.length = t;
      fault_record.invocation = id;
    }
  }
  y[i] = t_3;
}
