// Draws the town of town.png: boxes on a grid, seen from a hill.
//
//   gpuc run examples/tiltshift/town.wgsl -bind picture=192x120 -out picture=town.png
//
// One invocation computes one pixel, from four rays. A ray steps from cell to cell
// of the grid and ends where it meets a house or the ground.

@group(0) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;

const eye = vec3f(0.3, 5.2, -6);
const sun = vec3f(0.48, 0.76, -0.44);
const sky = vec3f(0.72, 0.83, 0.92);

// A number between 0 and 1 that belongs to a cell (PCG, O'Neill 2014).
fn chance(cell: vec2i, salt: u32) -> f32 {
  var n = bitcast<u32>(cell.x) * 1973 + bitcast<u32>(cell.y) * 9277 + salt * 26699;
  n = n * 747796405 + 2891336453;
  n = ((n >> ((n >> 28) + 4)) ^ n) * 277803737;
  return f32((n >> 22) ^ (n & 1023)) / 1023;
}

// Every fifth row and fourth column of cells is a street.
fn street(cell: vec2i) -> bool {
  return cell.x % 4 == 0 || cell.y % 5 == 0;
}

fn height(cell: vec2i) -> f32 {
  if (street(cell) || chance(cell, 1) < 0.12) {
    return 0;
  }
  return 0.35 + 1.5 * pow(chance(cell, 2), 3);
}

fn wall(cell: vec2i) -> vec3f {
  let hue = chance(cell, 3);
  if (hue < 0.3) { return vec3f(0.86, 0.52, 0.36); }
  if (hue < 0.55) { return vec3f(0.93, 0.84, 0.64); }
  if (hue < 0.8) { return vec3f(0.78, 0.76, 0.74); }
  return vec3f(0.55, 0.66, 0.74);
}

fn ground(cell: vec2i, at: vec2f) -> vec3f {
  if (!street(cell)) {
    return vec3f(0.47, 0.63, 0.34);
  }
  // a line along the middle, broken, and none where streets cross
  let inside = fract(at);
  let across = select(inside.y, inside.x, cell.x % 4 == 0);
  let along = select(inside.x, inside.y, cell.x % 4 == 0);
  let crossing = cell.x % 4 == 0 && cell.y % 5 == 0;
  if (!crossing && abs(across - 0.5) < 0.04 && fract(2 * along) < 0.5) {
    return vec3f(0.95);
  }
  return vec3f(0.40, 0.41, 0.44);
}

// The colour of a house of the given height where a ray meets it.
fn house(cell: vec2i, tall: f32, at: vec3f, normal: vec3f) -> vec3f {
  let light = 0.45 + 0.55 * max(dot(normal, sun), 0.0);
  if (normal.y > 0) {
    return light * vec3f(0.72, 0.36, 0.28);
  }
  let u = fract(5 * select(at.x, at.z, normal.x != 0));
  let v = fract(4 * at.y);
  if (u > 0.35 && u < 0.75 && v > 0.35 && v < 0.8 && at.y < tall - 0.08) {
    return vec3f(0.22, 0.26, 0.34);
  }
  return light * wall(cell);
}

fn trace(direction: vec3f) -> vec3f {
  if (direction.y > -0.02) {
    return sky;
  }
  let inverse = 1 / direction;
  // nothing is higher than 1.85
  let begins = (1.85 - eye.y) * inverse.y;
  let ends = -eye.y * inverse.y;
  var cell = vec2i(floor((eye + begins * direction).xz));
  for (var n = 0; n < 120; n++) {
    let tall = height(cell);
    let corner = vec2f(cell);
    if (tall > 0) {
      let a = (vec3f(corner.x + 0.12, 0, corner.y + 0.12) - eye) * inverse;
      let b = (vec3f(corner.x + 0.88, tall, corner.y + 0.88) - eye) * inverse;
      let near = min(a, b);
      let far = max(a, b);
      let enter = max(near.x, max(near.y, near.z));
      if (enter < min(far.x, min(far.y, far.z))) {
        let normal = -sign(direction) * vec3f(near == vec3f(enter));
        return fog(house(cell, tall, eye + enter * direction, normal), enter);
      }
    }
    let borders = (corner + beyond(direction.xz) - eye.xz) * inverse.xz;
    let next = min(borders.x, borders.y);
    if (next > ends) {
      let at = (eye + ends * direction).xz;
      return fog(ground(cell, at), ends);
    }
    cell += vec2i(sign(direction.xz)) * vec2i(borders == vec2f(next));
  }
  return sky;
}

// The far border of a cell, from its lower corner.
fn beyond(direction: vec2f) -> vec2f {
  return vec2f(direction > vec2f(0));
}

// Haze, in steps, which keeps the file small.
fn fog(colour: vec3f, away: f32) -> vec3f {
  let haze = 1 - exp(-0.03 * max(away - 5, 0));
  return mix(colour, sky, floor(16 * haze) / 16);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let size = vec2f(textureDimensions(picture));
  var sum = vec3f(0);
  for (var i = 0u; i < 4; i++) {
    let place = (vec2f(id.xy) + vec2f(f32(i & 1), f32(i >> 1)) / 2 + 0.25) / size * 2 - 1;
    let aspect = size.x / size.y;
    sum += trace(normalize(vec3f(0.55 * place.x * aspect, -0.62 - 0.55 * place.y, 1)));
  }
  textureStore(picture, id.xy, vec4f(sum / 4, 1));
}
