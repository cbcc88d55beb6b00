// Statements that control does not come to (WGSL §9.7).

fn after_return(x: u32) -> u32 {
  return x;
  let y = x + 1u; // want "nothing reaches this statement [unreachable-code]"
  return y;
}
fn after_both(x: u32) -> u32 {
  if x > 1u { return 1u; } else { return 2u; }
  return 3u; // a last return is what other compilers ask for
}
fn after_switch(x: u32) -> u32 {
  switch x {
    case 1u: { return 1u; break; }
    default: { return 2u; }
  }
  return 3u;
}
fn in_loop(n: u32) -> u32 {
  var sum = 0u;
  for (var i = 0u; i < n; i++) {
    if i == 3u {
      continue;
      sum += 2u; // want "nothing reaches this statement [unreachable-code]"
    }
    sum += i;
    break;
    sum += 1u; // want "nothing reaches this statement [unreachable-code]"
    sum += 2u;
  }
  return sum;
}
fn endless(n: u32) -> u32 {
  loop {
    if n > 1u { return 1u; }
  }
  let x = n; // want "nothing reaches this statement [unreachable-code]"
  return x;
}
fn may_go_on(n: u32) -> u32 {
  loop {
    if n > 1u { break; }
    if n > 2u { return 2u; }
  }
  while n > 1u { return 1u; }
  return n;
}
