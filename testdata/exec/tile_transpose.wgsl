// A transposition of tiles and through workgroup memory, tiles that begin before their matrix,
// sums and extrema of columns and rows, and control flow with tiles.
enable gpuc_tile;

const width = 13u;
const height = 11u;
const side = 6u;

alias Square = tile<u32, side, side>;

@group(0) @binding(0) var<storage, read> original: array<u32>;
@group(0) @binding(1) var<storage, read_write> turned: array<u32>;
@group(0) @binding(2) var<storage, read_write> shifted: array<u32>;
@group(0) @binding(3) var<storage, read_write> facts: array<u32>;

var<workgroup> passed: array<u32, side * side>;

@compute @workgroup_size(7)
fn main(@builtin(workgroup_id) group: vec3u) {
  let row = side * group.y;
  let column = side * group.x;
  let original_view = tile_view(0, height, width, width, 1);
  let turned_view = tile_view(0, width, height, height, 1);
  let x = tileLoad<Square>(&original, original_view, row, column);

  // Tiles with odd sums of their position are turned on the way through workgroup memory.
  var y: Square;
  if (group.x + group.y) % 2 == 0 {
    y = tileTranspose(x);
  } else {
    tileStore(&passed, tile_view(0, side, side, 1, side), 0, 0, x);
    y = tileLoad<Square>(&passed, tile_view(0, side, side, side, 1), 0, 0);
  }
  tileStore(&turned, turned_view, column, row, y);

  // The matrix moved down by two rows: the first ones are before the original.
  let moved = tileLoad<Square>(&original, original_view, i32(row) - 2, i32(column));
  tileStore(&shifted, original_view, row, column, moved);

  // Six numbers for each column of the tile: three of columns, and three of rows.
  let at = 6 * side * (group.x + 3 * group.y);
  let line = tile_view(at, 6, side, side, 1);
  tileStore(&facts, line, 0, 0, tileColumnSum(x));
  tileStore(&facts, line, 1, 0, tileColumnMin(x));
  tileStore(&facts, line, 2, 0, tileColumnMax(x));
  tileStore(&facts, line, 3, 0, tileTranspose(tileRowSum(x)));
  tileStore(&facts, line, 4, 0, tileTranspose(tileRowMin(x)));
  tileStore(&facts, line, 5, 0, tileTranspose(tileRowMax(x)));
}
