// A step of the lattice Boltzmann method, D2Q9, on n×n cells that wrap around: each cell
// takes what its neighbours send and relaxes towards equilibrium. The nine
// distributions lie one behind the other. n is a power of two.
requires immediate_address_space;

struct Step { n: u32, rate: f32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> step: Step;

const dx = array<i32, 9>(0, 1, 0, -1, 0, 1, -1, -1, 1);
const dy = array<i32, 9>(0, 0, 1, 0, -1, 1, 1, -1, -1);
const weight = array<f32, 9>(4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36);

@compute @workgroup_size(32, 8)
fn lbm(@builtin(global_invocation_id) id: vec3u) {
  let n = step.n;
  let x = id.x;
  let y = id.y;
  if x >= n || y >= n {
    return;
  }
  var f: array<f32, 9>;
  var density = 0.0;
  var ux = 0.0;
  var uy = 0.0;
  for (var q = 0u; q < 9; q++) {
    let from_x = (x - u32(dx[q])) & (n - 1);
    let from_y = (y - u32(dy[q])) & (n - 1);
    f[q] = a[(q * n + from_y) * n + from_x];
    density += f[q];
    ux += f[q] * f32(dx[q]);
    uy += f[q] * f32(dy[q]);
  }
  ux /= density;
  uy /= density;
  let square = 1.5 * (ux * ux + uy * uy);
  for (var q = 0u; q < 9; q++) {
    let along = 3 * (ux * f32(dx[q]) + uy * f32(dy[q]));
    let equilibrium = weight[q] * density * (1 + along + 0.5 * along * along - square);
    b[(q * n + y) * n + x] = f[q] + step.rate * (equilibrium - f[q]);
  }
}
