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
  let t_2 = t_1 + (i32(group.y & 2147483647u) << 4u);
  let t_3 = t + (i32(group.x & 2147483647u) << 4u);
  let t_4 = t_2 < rows;
  let t_5 = columns_1 * t_2;
  let t_6 = t_3 < columns;
  var k = 0.0;
  var k_1 = 0;
  loop {
    if k_1 >= columns_1 {
      break;
    }
    let t_7 = t + k_1;
    var r: f32;
    switch 0 {
      default {
        if t_4 {
          if t_7 < columns_1 {
            r = a[t_7 + t_5];
            break;
          }
        }
        r = 0.0;
      }
    }
    shared_1.a[t_1][t] = r;
    let t_8 = t_1 + k_1;
    var r_1: f32;
    switch 0 {
      default {
        if t_8 < columns_1 {
          if t_6 {
            r_1 = b[t_3 + columns * t_8];
            break;
          }
        }
        r_1 = 0.0;
      }
    }
    shared_1.b[t_1][t] = r_1;
    workgroupBarrier();
    var r_2: f32;
    var k_2 = 0;
    loop {
      let t_9 = shared_1.a[t_1][k_2] * shared_1.b[k_2][t] + k;
      let t_10 = k_2 + 1;
      if t_10 >= 16 {
        r_2 = t_9;
        break;
      }
      k = t_9;
      k_2 = t_10;
    }
    k = r_2;
    continuing {
      workgroupBarrier();
      k_1 += 16;
    }
  }
  if t_4 {
    if t_6 {
      c[t_3 + columns * t_2] = k;
    }
  }
}
