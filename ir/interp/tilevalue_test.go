package interp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file tests tiles in memory, in control flow and in the checked mode.

// position is where a tile is in an array: the operands from the offset on.
type position struct {
	offset, rowStride, columnStride, rows, columns, firstRow, firstColumn int
}

func (p position) String() string {
	return fmt.Sprintf("%di, %di, %di, %di, %di, %di, %di", p.offset, p.rowStride, p.columnStride, p.rows, p.columns, p.firstRow, p.firstColumn)
}

// index returns the index of an element of the tile in an array of so many elements.
func (p position) index(row, column, count int) (index int, ok bool) {
	row, column = row+p.firstRow, column+p.firstColumn
	index = p.offset + row*p.rowStride + column*p.columnStride
	return index, row >= 0 && row < p.rows && column >= 0 && column < p.columns && index >= 0 && index < count
}

// positions are parts of arrays of 20 elements for tiles of 4×3.
var positions = map[string]position{
	"the beginning":           {0, 3, 1, 4, 3, 0, 0},
	"part of a matrix":        {0, 5, 1, 4, 5, 0, 1},
	"after an offset":         {2, 4, 1, 4, 4, 0, 0},
	"by columns":              {0, 1, 4, 4, 5, 0, 2},
	"every other column":      {0, 5, 2, 4, 3, 0, 0},
	"rows in reverse":         {15, -5, 1, 4, 5, 0, 0},
	"over the last row":       {0, 5, 1, 4, 5, 2, 0},
	"over the last column":    {0, 5, 1, 4, 5, 0, 3},
	"from a negative row on":  {0, 5, 1, 4, 5, -2, 0},
	"from a negative column":  {0, 5, 1, 4, 5, 1, -1},
	"outside":                 {0, 5, 1, 4, 5, 9, 0},
	"over the array's end":    {8, 5, 1, 4, 5, 0, 0},
	"before the array":        {-7, 5, 1, 4, 5, 0, 0},
	"a matrix without rows":   {0, 5, 1, 0, 5, 0, 0},
	"a matrix without a size": {0, 5, 1, -1, 5, 0, 0}, // which is the greatest unsigned number
}

func TestTilesInArrays(t *testing.T) {
	for name, p := range positions {
		for _, k := range []scalar.Kind{scalar.U32, scalar.E4M3, scalar.F16, scalar.F64} {
			t.Run(fmt.Sprint(name, " ", k), func(t *testing.T) {
				rows := p.rows
				if rows < 0 {
					p.rows = 1 << 30
				}
				array := randomMatrix(rand.New(rand.NewPCG(1, uint64(k))), k, 20, 1)
				tile := randomMatrix(rand.New(rand.NewPCG(2, uint64(k))), k, 4, 3)
				loaded, stored := newMatrix(k, 4, 3), newMatrix(k, 20, 1)
				for i := range tile.bits {
					if at, ok := p.index(i/3, i%3, 20); ok {
						loaded.bits[i] = array.bits[at]
						stored.bits[at] = tile.bits[i]
					}
				}
				p.rows = rows
				runTiles(t, "", fmt.Sprintf("  %%x = tile_load @a, %s : %s\n", p, tile.tile())+store("@b", "%x", tile), loaded, array)
				runTiles(t, "", load("%x", "@a", tile)+fmt.Sprintf("  tile_store @b, %s, %%x\n", p), stored, tile)
			})
		}
	}
}

// TestTilesInWorkgroupMemory: an array of a fixed size, whose elements are structures, is stored to
// and read as its transposition.
func TestTilesInWorkgroupMemory(t *testing.T) {
	x := randomMatrix(rand.New(rand.NewPCG(1, 1)), scalar.F32, 5, 3)
	want := each(scalar.F32, 3, 5, func(row, column int) uint64 { return *x.at(column, row) })
	declarations := "struct One [size 8, align 4] { x: f32 [offset 4] }\nvar @w : ptr<workgroup, array<One, 15u>>\n"
	body := load("%x", "@a", x) + `  tile_store @w, 0i, 3i, 1i, 5i, 3i, 0i, 0i, %x [workgroup]
  %y = tile_load @w, 0i, 1i, 3i, 3i, 5i, 0i, 0i [workgroup] : tile<f32, 3, 5>
` + store("@b", "%y", want)
	runTiles(t, declarations, body, want, x)
}

// The bodies of TestTileValues have two tiles of 4×3, %x and %z, and make %y.
var tileValues = []struct {
	name, functions, body string
	want                  func(x, z uint64) uint64
}{
	{"a loop that sets elements", "", `
  %count = tile_count %x : i32
  %y = loop ^k(%n: i32 = 0i, %t: tile<u32, 4, 3> = %z) : tile<u32, 4, 3> {
    %more = lt %n, %count : bool
    if ^if %more {
      exit ^if()
    } else {
      exit ^k(%t)
    }
    %v = tile_get %x, %n : u32
    %w = tile_get %z, %n : u32
    %s = sub %v, %w : u32
    %u = tile_set %t, %n, %s : tile<u32, 4, 3>
    %other = tile_set %u, %n, 99u : tile<u32, 4, 3>
    %dropped = tile_set %x, %n, 98u : tile<u32, 4, 3>
    continue ^k(%u)
  } continuing(%p: tile<u32, 4, 3>) {
    %next = add %n, 1i : i32
    next ^k(%next, %p)
  }`, func(x, z uint64) uint64 { return uint64(uint32(x - z)) }},
	{"an old value", "", `
  %set = tile_set %x, 0i, 5u : tile<u32, 4, 3>
  %v = tile_get %x, 0i : u32
  %y = tile_set %set, 0i, %v : tile<u32, 4, 3>`, func(x, _ uint64) uint64 { return x }},
	{"a swap", "", `
  %y, %other = loop ^k(%n: i32 = 0i, %a: tile<u32, 4, 3> = %x, %b: tile<u32, 4, 3> = %z) : tile<u32, 4, 3>, tile<u32, 4, 3> {
    %more = lt %n, 3i : bool
    if ^if %more {
      exit ^if()
    } else {
      exit ^k(%a, %b)
    }
    continue ^k()
  } continuing() {
    %next = add %n, 1i : i32
    next ^k(%next, %b, %a)
  }`, func(_, z uint64) uint64 { return z }},
	{"select", "", `
  %first = select true, %x, %z : tile<u32, 4, 3>
  %y = select false, %z, %first : tile<u32, 4, 3>`, func(x, _ uint64) uint64 { return x }},
	{"zero", "", `
  %y = select true, zero<tile<u32, 4, 3>>, %x : tile<u32, 4, 3>`, func(_, _ uint64) uint64 { return 0 }},
	{"splat", "", `
  %y = tile_splat 7u : tile<u32, 4, 3>`, func(_, _ uint64) uint64 { return 7 }},
	{"variables", "", `
  %v = var : ptr<function, tile<u32, 4, 3>>
  %w = var : ptr<function, tile<u32, 4, 3>>
  %zero = load %v : tile<u32, 4, 3>
  store %w, %x
  copy %v, %w
  store %w, %zero
  %y = load %v : tile<u32, 4, 3>`, func(x, _ uint64) uint64 { return x }},
	{"a function", `
fn @f(%a: tile<u32, 4, 3>, %b: tile<u32, 4, 3>) : tile<u32, 4, 3> {
  %t = tile_transpose %b : tile<u32, 3, 4>
  %u = tile_transpose %t : tile<u32, 4, 3>
  return %u
}
`, `
  %y = call @f, %x, %z : tile<u32, 4, 3>`, func(_, z uint64) uint64 { return z }},
}

func TestTileValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, z := randomMatrix(r, scalar.U32, 4, 3), randomMatrix(r, scalar.U32, 4, 3)
	for _, c := range tileValues {
		t.Run(c.name, func(t *testing.T) {
			want := each(scalar.U32, 4, 3, func(row, column int) uint64 { return c.want(*x.at(row, column), *z.at(row, column)) })
			runTiles(t, c.functions, load("%x", "@a", x)+load("%z", "@b", z)+c.body+"\n"+store("@c", "%y", x), want, x, z)
		})
	}
}

// TestTilePositions: an invocation finds its elements, and what is beyond the last row is zero.
func TestTilePositions(t *testing.T) {
	want := each(scalar.U32, 4, 3, func(row, column int) uint64 { return uint64(100*row + column) })
	runTiles(t, "", `
  %count = tile_count zero<tile<u32, 4, 3>> : i32
  %y = loop ^k(%n: i32 = 0i, %t: tile<u32, 4, 3> = zero<tile<u32, 4, 3>>) : tile<u32, 4, 3> {
    %more = lt %n, %count : bool
    if ^if %more {
      exit ^if()
    } else {
      exit ^k(%t)
    }
    %row = tile_row %t, %n : i32
    %column = tile_column %t, %n : i32
    %hundred = mul %row, 100i : i32
    %v = add %hundred, %column : i32
    %s = bitcast %v : u32
    %u = tile_set %t, %n, %s : tile<u32, 4, 3>
    continue ^k(%u)
  } continuing(%p: tile<u32, 4, 3>) {
    %next = add %n, 1i : i32
    next ^k(%next, %p)
  }
`+store("@a", "%y", want), want)
	got := make([]uint32, 8)
	text := kernelOf("var @a : ptr<storage, array<u32>, read_write> [group 0, binding 0]\n", `
  %x = tile_splat 7u : tile<u32, 2, 3>
  %y = tile_set %x, 0i, 8u : tile<u32, 2, 3>
  %v = tile_get %y, 0i : u32
  %p = access @a, %l : ptr<storage, u32, read_write>
  store %p, %v
`, 8)
	runBoth(t, compile(t, text), interp.Launch{Buffers: [][]byte{bytesOf(got)}})
	for i, v := range got {
		if element := i < 6; (v == 8) != element || (v == 0) == element {
			t.Errorf("invocation %d has %d", i, v)
		}
	}
}

// The bodies of TestTileChecks run in 4 invocations, on 6 elements of @a and of @w, which is
// workgroup memory.
var tileChecks = []struct {
	name, body string
	want       []string
}{
	{"elements outside are no fault", `
  %x = tile_load @a, -3i, 3i, 1i, 9i, 3i, 0i, 0i : tile<u32, 4, 4>
  tile_store @a, 0i, 3i, 1i, 9i, 3i, -1i, 0i, %x`, nil},
	{"a store to one place", `
  %x = tile_splat 1u : tile<u32, 2, 2>
  tile_store @a, 0i, 1i, 0i, 2i, 2i, 0i, 0i, %x`, []string{
		"data-race: invocation (1, 0, 0) of workgroup (0, 0, 0) writes a[0], which another invocation wrote"}},
	{"a load of what another has written", `
  %p = access @a, %l : ptr<storage, u32, read_write>
  store %p, 1u
  %x = tile_load @a, 1i, 4i, 1i, 1i, 4i, 0i, 0i : tile<u32, 1, 4>`, []string{
		"data-race: invocation (0, 0, 0) of workgroup (0, 0, 0) reads a[1], which another invocation wrote"}},
	{"a load of what another has written, after a barrier", `
  %p = access @a, %l : ptr<storage, u32, read_write>
  store %p, 1u
  %x = tile_load @a, 1i, 4i, 1i, 1i, 4i, 0i, 0i [storage] : tile<u32, 1, 4>`, nil},
	{"a load of what is written afterwards", `
  %x = tile_load @a, 1i, 4i, 1i, 1i, 4i, 0i, 0i [storage] : tile<u32, 1, 4>
  %p = access @a, %l : ptr<storage, u32, read_write>
  store %p, 1u`, []string{
		"data-race: invocation (1, 0, 0) of workgroup (0, 0, 0) writes a[1], which another invocation read"}},
	{"a store of what another has read and reads", `
  %j = add %l, 1u : u32
  %p = access @a, %j : ptr<storage, u32, read_write>
  %v = load %p : u32
  %x = tile_splat 1u : tile<u32, 1, 4>
  tile_store @a, 0i, 4i, 1i, 1i, 4i, 0i, 0i, %x [storage]
  %w = load %p : u32`, nil},
	{"a store of what another reads afterwards", `
  %j = add %l, 1u : u32
  %p = access @a, %j : ptr<storage, u32, read_write>
  %x = tile_splat 1u : tile<u32, 1, 4>
  tile_store @a, 0i, 4i, 1i, 1i, 4i, 0i, 0i, %x
  %v = load %p : u32`, []string{
		"data-race: invocation (0, 0, 0) of workgroup (0, 0, 0) reads a[1], which another invocation wrote"}},
	{"memory that nothing has written", `
  %x = tile_load @w, 0i, 1i, 1i, 5i, 1i, 4i, 0i : tile<u32, 4, 1>`, []string{
		"uninitialized-read: reads w[4] in workgroup memory, which no invocation has written, in invocation (0, 0, 0)"}},
	{"an array outside of an array", `
  %i = add %l, 1u : u32
  %p = access @m, %i : ptr<storage, array<u32, 2u>, read_write>
  %x = tile_load %p, 0i, 1i, 1i, 1i, 2i, 0i, 0i : tile<u32, 1, 2>`, []string{
		"out-of-bounds: index 3 is outside of the 3 elements in m, in invocation (2, 0, 0)"}},
	{"indices of elements", `
  %x = tile_splat 1u : tile<u32, 3, 2>
  %v = tile_get %x, 2i : u32
  %y = tile_set %x, -1i, 2u : tile<u32, 3, 2>`, []string{
		"out-of-bounds: index 2 is outside of the 2 elements of a tile that an invocation holds, in invocation (0, 0, 0)",
		"out-of-bounds: index -1 is outside of the 2 elements of a tile that an invocation holds, in invocation (0, 0, 0)"}},
	{"an operation that not all reach", `
  %c = lt %l, 3u : bool
  if ^i %c {
    %x = tile_load @a, 0i, 1i, 1i, 4i, 1i, 0i, 0i : tile<u32, 4, 1>
    exit ^i()
  } else {
    exit ^i()
  }`, []string{"non-uniform-barrier: invocation (0, 0, 0) of workgroup (0, 0, 0) waits at the operation on tiles, but invocation (3, 0, 0) of workgroup (0, 0, 0) has ended"}},
	{"operations in two branches", `
  %x = tile_load @a, 0i, 1i, 1i, 2i, 1i, 0i, 0i : tile<u32, 2, 1>
  %c = lt %l, 3u : bool
  if ^i %c {
    %y = tile_transpose %x : tile<u32, 1, 2>
    exit ^i()
  } else {
    barrier [workgroup]
    exit ^i()
  }`, []string{"non-uniform-barrier: invocation (0, 0, 0) of workgroup (0, 0, 0) waits at this operation on tiles and invocation (3, 0, 0) of workgroup (0, 0, 0) at another one"}},
	{"iterations that differ", `
  %x = tile_load @a, 0i, 1i, 1i, 2i, 1i, 0i, 0i : tile<u32, 2, 1>
  loop ^k(%n: u32 = 0u) {
    %c = lt %n, %l : bool
    if ^i %c {
      exit ^i()
    } else {
      exit ^k()
    }
    %y = tile_transpose %x : tile<u32, 1, 2>
    continue ^k()
  } continuing() {
    %next = add %n, 1u : u32
    next ^k(%next)
  }`, []string{"non-uniform-barrier: waits at the operation on tiles, but invocation (0, 0, 0)"}},
}

func TestTileChecks(t *testing.T) {
	const declarations = `var @a : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @m : ptr<storage, array<array<u32, 2u>, 3u>, read_write> [group 0, binding 1]
var @w : ptr<workgroup, array<u32, 6u>>
`
	for _, c := range tileChecks {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, kernelOf(declarations, "  %m0 = load @m : array<array<u32, 2u>, 3u>\n"+c.body[1:]+"\n  %a0 = array_length @a : u32\n", 4))
			l := interp.Launch{Buffers: [][]byte{bytesOf(make([]uint32, 6)), bytesOf(make([]uint32, 6))}}
			run(t, p, l)
			expect(t, checked(t, p, l), c.want...)
		})
	}
}
