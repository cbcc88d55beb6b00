// Tiles through control flow and through variables: exchanged in a loop, chosen by a switch,
// returned early, changed in a continuing block, and products whose operands are each other's sums.
enable gpuc_tile;
enable f16;

const side = 5u;

alias Square = tile<f32, side, side>;

@group(0) @binding(0) var<storage, read> start: array<f32, side * side>;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;

fn place(group: u32, number: u32) -> tile_view {
  return tile_view(side * side * (16 * group + number), side, side, side, 1);
}

fn numbered(row: u32, column: u32, x: f32, first: f32) -> f32 {
  return x + first + f32(side * row + column);
}

fn add(row: u32, column: u32, x: f32, y: f32) -> f32 {
  return x + y;
}

fn halved(row: u32, column: u32, x: f32) -> f16 {
  return f16(x) + 0.5h;
}

fn whole(row: u32, column: u32, x: f16, y: i32) -> u32 {
  return u32(x) + u32(y);
}

fn chosen(a: Square, b: Square, number: u32, group: u32) -> Square {
  if number == 0 {
    return a;
  }
  switch number {
    case 1, 2: {
      return b;
    }
    case 3: {
      if group > 1 {
        return tileTranspose(a);
      }
    }
    default: {
      return tileTranspose(b);
    }
  }
  return tileMap(add, a, b);
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) id: vec3u) {
  let group = id.x;
  let whole_start = tile_view(0, side, side, side, 1);
  var a = tileMap(numbered, tileLoad<Square>(&start, whole_start, 0, 0), 1);
  var b = tileMap(numbered, tileSplat<Square>(7), 93);
  for (var i = 0u; i < group; i++) {
    let c = a;
    a = b;
    b = c;
  }
  for (var i = 0u; i < 5; i++) {
    tileStore(&results, place(group, i), 0, 0, chosen(a, b, i, group));
  }

  var sum = Square();
  var count = 0u;
  loop {
    let next = tileMap(add, sum, a);
    if count == 2 {
      continue;
    }
    if count == 4 {
      sum = next;
      break;
    }
    sum = tileMap(add, sum, b);

    continuing {
      sum = tileMap(add, next, sum);
      count++;
      break if count > group + 2;
    }
  }
  tileStore(&results, place(group, 5), 0, 0, sum);

  let half = tileMap(halved, a);
  let numbers = tileMap(whole, half, tileSplat<tile<i32, side, side>>(3));
  tileStore(&results, place(group, 6), 0, 0, tileConvert<f32>(numbers));
  tileStore(&results, place(group, 7), -1, 2, tileConvert<f32>(tileConvert<i32>(half)));

  // The loads come before a store to their memory, and the products after it.
  let x = tileLoad<tile<f32, side, 2>>(&results, place(group, 0), 0, 1);
  let y = tileLoad<tile<f32, 2, side>>(&results, place(group, 1), 1, 0);
  tileStore(&results, place(group, 1), 0, 0, Square());
  tileStore(&results, place(group, 8), 0, 0, tileMulAdd(x, y, tileMulAdd(x, y, a)));

  var p = a;
  var q = tileMulAdd(tileConvert<f32>(tileTranspose(half)), b, p);
  tileStore(&results, place(group, 9), 0, 0, q);
  p = tileMulAdd(p, tileTranspose(a), p);
  q = tileMulAdd(tileSplat<Square>(1), p, p);
  tileStore(&results, place(group, 10), 0, 0, p);
  tileStore(&results, place(group, 11), 0, 0, q);
  tileStore(&results, place(group, 12), 0, 0, tileBroadcast<Square>(tileColumnSum(p)));
  tileStore(&results, place(group, 13), 0, 0, tileBroadcast<Square>(tileRowMin(a)));
}
