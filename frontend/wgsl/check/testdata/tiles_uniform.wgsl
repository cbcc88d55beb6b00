// Functions on tiles are reached by all invocations, with the same arguments.
enable gpuc_tile;

alias A = tile<f32, 4, 4>;

@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> places: array<tile_view>;
@group(0) @binding(3) var<uniform> place: tile_view;

fn sum(a: A, b: A) -> A { return tileMap(add, a, b); }
fn add(row: u32, column: u32, x: f32, y: f32) -> f32 { return x + y + f32(column); }
fn shift(row: u32, column: u32, x: f32, by: f32) -> f32 { return x + by + y[row]; }
fn twice(a: A) -> A { return sum(a, a); }

@compute @workgroup_size(8)
fn good(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  var a = tileLoad<A>(&x, place, 4 * group.x, 0);
  for (var k = 1u; k < group.y; k++) {
    a = sum(a, tileLoad<A>(&y, place, 4 * group.x, 4 * k));
  }
  if group.z > 1 {
    a = tileMap(shift, twice(a), f32(group.z));
  }
  tileStore(&y, place, 0, 0, tileTranspose(a));
}

@compute @workgroup_size(8)
fn branches(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  var a = tileLoad<A>(&x, place, 0, 0);
  if local < 4 {
    a = twice(a); // want "`tileMap` must be reached by all invocations, and control flow may differ between them here [non-uniform]"
    tileStore(&y, place, 0, 0, a);
  }
  if x[local] < 4 {
    a = A();
  }
  tileStore(&y, place, 0, 0, a); // want "`tileStore` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
}

@compute @workgroup_size(8)
fn arguments(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let a = tileLoad<A>(&x, place, local, local); // want "`tileLoad` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
  let b = tileLoad<A>(&x, places[0], 0, 0); // want "`tileLoad` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
  let c = tileSplat<A>(y[0]); // want "`tileSplat` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
  let d = tileMap(shift, c, f32(local)); // want "`tileMap` needs an argument that is the same for all invocations, and this one may differ [non-uniform]"
  tileStore(&y, place, 0, 0, sum(a, sum(b, d)));
}
