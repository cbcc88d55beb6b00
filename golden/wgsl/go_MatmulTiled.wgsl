// WGSL written by gpuc: kernel MatmulTiled

requires immediate_address_space;

struct matmulShared {
  a: array<array<f32, 16>, 16>,
  b: array<array<f32, 16>, 16>,
}

struct Shape {
  Rows: u32,
  Columns: u32,
  Inner: u32,
}

var<workgroup> shared_1: matmulShared;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<immediate> shape: Shape;

@compute @workgroup_size(16, 16)
fn MatmulTiled(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let t = i32(local.x);
  let t_1 = i32(local.y);
  let rows = i32(shape.Rows);
  let columns = i32(shape.Columns);
  let columns_1 = i32(shape.Inner);
  let t_2 = t_1 + (i32(group.y) << 4u);
  let t_3 = t + (i32(group.x) << 4u);
  let t_4 = (columns_1 + 15) / 16;
  let t_5 = t_2 < rows;
  let t_6 = columns_1 * t_2;
  let t_7 = t_3 < columns;
  var k = 0.0;
  var k_1 = 0;
  var k_2 = 0.0;
  while k_1 < t_4 {
    let t_8 = k_1 << 4u;
    let t_9 = t + t_8;
    var r: f32;
    switch 0 {
      default {
        if t_5 {
          if t_9 < columns_1 {
            r = a[t_9 + t_6];
            break;
          }
        }
        r = 0.0;
      }
    }
    shared_1.a[t_1][t] = r;
    let t_10 = t_1 + t_8;
    var r_1: f32;
    switch 0 {
      default {
        if t_10 < columns_1 {
          if t_7 {
            r_1 = b[t_3 + columns * t_10];
            break;
          }
        }
        r_1 = 0.0;
      }
    }
    shared_1.b[t_1][t] = r_1;
    workgroupBarrier();
    var k_3 = 0;
    var k_4 = k;
    while k_3 < 16 {
      let t_11 = shared_1.a[t_1][k_3] * shared_1.b[k_3][t] + k;
      k = t_11;
      k_3++;
      k_4 = t_11;
    }
    workgroupBarrier();
    k = k_4;
    k_1++;
    k_2 = k_4;
  }
  if t_5 & t_7 {
    c[t_3 + columns * t_2] = k_2;
  }
}
