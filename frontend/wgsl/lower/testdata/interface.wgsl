// What is named belongs to the interface of an entry point, whether an instruction
// uses it or not: resources and immediates, directly and through functions.

@group(0) @binding(0) var<storage> pointed: array<u32>;
@group(0) @binding(1) var<uniform> valued: vec4u;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage> in_function: array<u32>;
@group(0) @binding(4) var texture: texture_2d<f32>;
@group(0) @binding(5) var<storage> dead_end: array<u32>;
@group(0) @binding(6) var<storage> used_by_other: array<u32>;
@group(0) @binding(7) var<storage> never_named: array<u32>;
var<immediate> given: u32;
var<private> mine: u32;
var<workgroup> shared_by_all: u32;

fn names() { _ = &in_function; }
fn calls() -> u32 { names(); return used_by_other[0]; }

@compute @workgroup_size(1)
fn main() {
  _ = &pointed;
  _ = valued;
  _ = texture;
  _ = given;
  _ = mine;
  _ = &shared_by_all;
  names();
  out[0] = 1u;
  return;
  out[0] = dead_end[0] + calls();
}

@compute @workgroup_size(1)
fn other() {
  out[0] = calls();
}

@compute @workgroup_size(1)
fn none() {
  out[0] = dead_end[0];
}
