// u.y is the upper half of a word of the uniform buffer. Of three operands the lower half is read.
// The halves are u = (-2, 1, 2, -1), and x = (3, 4, 5, 6).
// @buffer u u16 0xc000 0x3c00 0x4000 0xbc00
// @buffer x u16 0x4200 0x4400 0x4500 0x4600
// @buffer o u16 zeros 4
enable f16;
@group(0) @binding(0) var<uniform> u: vec4h;
@group(0) @binding(1) var<storage, read> x: vec4h;
@group(0) @binding(2) var<storage, read_write> o: vec4h;

@compute @workgroup_size(1)
fn main() {
  o = vec4h(min(u.y, min(x.x, x.y)), max(u.w, max(-x.x, -x.y)), min(x.z, min(x.w, u.y)), min(u.x, min(x.x, x.y)));
}
