// && and || evaluate their right side only when it decides; & and | on bool
// always evaluate both. The calls leave a trace in a private variable.
@group(0) @binding(0) var<storage, read_write> traces: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

var<private> trace: u32;

fn test(bit: u32, mask: u32) -> bool {
  trace = trace * 8u + bit + 1u;
  return ((mask >> bit) & 1u) == 1u;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let mask = id.x;
  if mask >= arrayLength(&traces) {
    return;
  }
  var result = 0u;
  if test(0u, mask) && test(1u, mask) {
    result |= 1u;
  }
  if test(2u, mask) || test(3u, mask) {
    result |= 2u;
  }
  if (test(4u, mask) || test(0u, mask)) && !(test(1u, mask) && test(2u, mask)) {
    result |= 4u;
  }
  let both = test(3u, mask) & test(4u, mask);
  let either = test(1u, mask) | both;
  result |= select(0u, 8u, either);
  // A value, not a condition: the right side must not run ahead of time.
  let guarded = mask != 0u && test(5u, 64u / max(mask, 1u));
  result |= u32(guarded) << 4u;
  traces[mask] = trace;
  results[mask] = result;
}
