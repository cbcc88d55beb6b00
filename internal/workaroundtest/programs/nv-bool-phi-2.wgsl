// Two of them, one of which ends the loop, as in a search.
// @buffer d u32 5 3 1 0
// @buffer o u32 zeros 8
@group(0) @binding(0) var<storage, read> d: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> o: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  var found = d[i & 3u] == i;
  var k = 0u;
  var last = i > d[1];
  while !found && k < d[0] {
    found = d[k & 3u] == i || (last && k == i);
    last = found != last;
    k++;
  }
  o[i] = k * 2u + select(0u, 1u, found) + select(0u, 100u, last);
}
