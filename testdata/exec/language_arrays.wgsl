// Arrays with dynamic indices where no memory is given: array values (let and
// parameters), arrays of arrays, of structs and of vectors in function and
// private variables, matrix columns and vector components by dynamic index, and
// copies of whole rows.
struct Item {
  key: u32,
  pair: vec2u,
  list: array<u32, 3>,
}

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 6>>;

var<private> items: array<Item, 4>;

fn pick(values: array<u32, 5>, at: u32) -> u32 {
  return values[at % 5u];
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if i >= arrayLength(&results) {
    return;
  }
  let n = data[i];
  let squares = array(0u, 1u, 4u, 9u, n);
  results[i][0] = squares[n % 5u] + pick(squares, n / 5u);

  var rows: array<array<u32, 3>, 4>;
  for (var k = 0u; k < 12u; k++) {
    rows[k / 3u][k % 3u] = (n >> k) % 10u;
  }
  rows[n % 4u] = rows[(n + 1u) % 4u];
  let row = rows[n / 4u % 4u];
  var sum = 0u;
  for (var k = 0u; k < 12u; k++) {
    sum = sum * 3u + rows[k % 4u][k / 4u];
  }
  results[i][1] = sum + row[n % 3u];

  items[n % 4u] = Item(n, vec2u(n, 5u), array(1u, 2u, 3u));
  items[(n + 1u) % 4u].pair[n % 2u] = 8u;
  items[(n + 2u) % 4u].list[n % 3u] = 6u;
  items[3] = items[n % 3u];
  var total = 0u;
  for (var k = 0u; k < 4u; k++) {
    let item = items[k];
    total = total * 5u + item.key + item.pair.x + item.pair.y * 2u + item.list[k % 3u];
  }
  results[i][2] = total;

  var vectors: array<vec3u, 3>;
  for (var k = 0u; k < 9u; k++) {
    vectors[k % 3u][k / 3u] += n + k;
  }
  vectors[n % 3u] *= 2u;
  results[i][3] = dot(vectors[0] + vectors[1].zxy, vectors[2]);

  var m = mat3x2f(1, 2, 3, 4, 5, 6);
  m[n % 3u] = vec2f(f32(n % 16u), 0.5);
  m[(n + 1u) % 3u][n % 2u] *= 4.0;
  results[i][4] = u32(dot(m * vec3f(4, 16, 64), vec2f(2, 4)));

  var v = vec4u(1u, 2u, 3u, 4u);
  for (var k = 0u; k < 4u; k++) {
    v[(n + k) % 4u] = v[k] * 3u + v[(k + 1u) % 4u];
  }
  results[i][5] = v.x + v.y * 7u + v.z * 49u + v.w * 343u;
}
