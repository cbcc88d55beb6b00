package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
)

// matrix is the elements of a tile or of a buffer, in the order of rows.
type matrix struct {
	kind          scalar.Kind
	rows, columns int
	bits          []uint64
}

func newMatrix(k scalar.Kind, rows, columns int) matrix {
	return matrix{k, rows, columns, make([]uint64, rows*columns)}
}

func randomMatrix(r *rand.Rand, k scalar.Kind, rows, columns int) matrix {
	m := newMatrix(k, rows, columns)
	for i := range m.bits {
		m.bits[i] = randomElement(r, k)
	}
	return m
}

func (m matrix) at(row, column int) *uint64 { return &m.bits[row*m.columns+column] }

// each makes a matrix of a function of rows and columns.
func each(k scalar.Kind, rows, columns int, f func(row, column int) uint64) matrix {
	m := newMatrix(k, rows, columns)
	for i := range m.bits {
		m.bits[i] = f(i/columns, i%columns)
	}
	return m
}

func (m matrix) tile() string { return fmt.Sprintf("tile<%s, %d, %d>", m.kind, m.rows, m.columns) }

// workgroups are sizes that divide the tests' shapes, that do not, and that exceed them.
var workgroups = []int{1, 3, 4, 7, 64}

// buffers declares @a, @b … and returns the memory of matrices.
func buffers(matrices []matrix) (text string, memory [][]byte) {
	var b strings.Builder
	for n, m := range matrices {
		k := m.kind.Held()
		fmt.Fprintf(&b, "var @%c : ptr<storage, array<%s, stride %d>, read_write> [group 0, binding %d]\n", 'a'+n, k, k.Bytes(), n)
		memory = append(memory, encode(k, m.bits))
	}
	return b.String(), memory
}

// load and store are whole matrices as tiles.
func load(to, from string, m matrix) string {
	return fmt.Sprintf("  %s = tile_load %s, 0i, %di, 1i, %di, %di, 0i, 0i : %s\n", to, from, m.columns, m.rows, m.columns, m.tile())
}

func store(to, from string, m matrix) string {
	return fmt.Sprintf("  tile_store %s, 0i, %di, 1i, %di, %di, 0i, 0i, %s\n", to, m.columns, m.rows, m.columns, from)
}

// kernelOf completes the body of a kernel; functions may precede it.
func kernelOf(declarations, body string, items int) string {
	return fmt.Sprintf("%skernel @k(%%l: u32 [local_invocation_index]) [workgroup %du, 1u, 1u] {\n%s  return\n}\n", declarations, items, body)
}

// runTiles runs a body in workgroups of all sizes, on buffers with the matrices, and compares the
// last buffer, which is zero before.
func runTiles(t *testing.T, declarations, body string, want matrix, inputs ...matrix) {
	t.Helper()
	for _, items := range workgroups {
		head, memory := buffers(append(inputs[:len(inputs):len(inputs)], newMatrix(want.kind, want.rows, want.columns)))
		text := kernelOf(head+declarations, body, items)
		runBoth(t, compile(t, text), interp.Launch{Buffers: memory})
		got := decode(want.kind.Held(), memory[len(inputs)])
		for i := range want.bits {
			if got[i] != want.bits[i] && !(isNaN(want.kind, got[i]) && isNaN(want.kind, want.bits[i])) {
				t.Fatalf("%d items: element (%d, %d) is %#x, want %#x\n%s", items, i/want.columns, i%want.columns, got[i], want.bits[i], text)
			}
		}
	}
}

func TestTileProducts(t *testing.T) {
	for _, c := range []struct{ a, b, sum scalar.Kind }{
		{scalar.F16, scalar.F16, scalar.F32},
		{scalar.BF16, scalar.BF16, scalar.F32},
		{scalar.E4M3, scalar.E4M3, scalar.F32},
		{scalar.E4M3, scalar.E5M2, scalar.F32},
		{scalar.E5M2, scalar.E4M3, scalar.F32},
		{scalar.F32, scalar.F32, scalar.F32},
		{scalar.F64, scalar.F64, scalar.F64},
		{scalar.I8, scalar.I8, scalar.I32},
		{scalar.I8, scalar.U8, scalar.I32},
		{scalar.U8, scalar.U8, scalar.I32},
	} {
		t.Run(fmt.Sprint(c.a, " ", c.b), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(c.a), uint64(c.b)))
			a, b, start := randomMatrix(r, c.a, 3, 5), randomMatrix(r, c.b, 5, 7), randomMatrix(r, c.sum, 3, 7)
			want := each(c.sum, 3, 7, func(row, column int) uint64 {
				sum := *start.at(row, column)
				for k := range 5 {
					sum = fused(c.sum, number(c.a, *a.at(row, k)), number(c.b, *b.at(k, column)), sum)
				}
				return sum
			})
			body := load("%x", "@a", a) + load("%y", "@b", b) + load("%z", "@c", start) +
				"  %p = tile_mul_add %x, %y, %z : " + want.tile() + "\n" + store("@d", "%p", want)
			runTiles(t, "", body, want, a, b, start)
		})
	}
}

// tileKinds are the kinds of elements.
var tileKinds = []scalar.Kind{scalar.F16, scalar.BF16, scalar.E4M3, scalar.E5M2, scalar.F32, scalar.F64, scalar.I8, scalar.U8, scalar.I32, scalar.U32}

func TestTileConversions(t *testing.T) {
	for _, from := range tileKinds {
		r := rand.New(rand.NewPCG(7, uint64(from)))
		x := each(from, 24, 16, func(row, column int) uint64 {
			switch {
			case row >= 20: // all patterns, infinities and NaN among them
				return r.Uint64() & from.Mask()
			case from.Bits() == 8:
				return uint64(row*16+column) & 0xFF
			case row >= 16 && from == scalar.F32: // halfway between short floats
				return uint64(0x3c080000+(row*16+column)<<19) & from.Mask()
			}
			return randomElement(r, from)
		})
		for _, to := range tileKinds {
			t.Run(fmt.Sprint(from, " to ", to), func(t *testing.T) {
				want := each(to, x.rows, x.columns, func(row, column int) uint64 { return convertTileElement(to, from, *x.at(row, column)) })
				body := load("%x", "@a", x) + "  %y = tile_convert %x : " + want.tile() + "\n" + store("@b", "%y", want)
				runTiles(t, "", body, want, x)
			})
		}
	}
}

func TestTileReductions(t *testing.T) {
	folds := map[string]func(k scalar.Kind, x, y uint64) uint64{
		"add": func(k scalar.Kind, x, y uint64) uint64 {
			if k == scalar.U32 {
				k = scalar.I32
			}
			return fused(k, number(k, x), 1, y)
		},
		"min": func(k scalar.Kind, x, y uint64) uint64 {
			if number(k, y) < number(k, x) {
				return y
			}
			return x
		},
		"max": func(k scalar.Kind, x, y uint64) uint64 {
			if number(k, y) > number(k, x) {
				return y
			}
			return x
		},
	}
	for name, fold := range folds {
		for _, k := range []scalar.Kind{scalar.F32, scalar.F64, scalar.I32, scalar.U32} {
			for _, shape := range [][2]int{{5, 6}, {1, 4}, {4, 1}, {1, 1}} {
				t.Run(fmt.Sprint(name, " ", k, " ", shape), func(t *testing.T) {
					rows, columns := shape[0], shape[1]
					x := randomMatrix(rand.New(rand.NewPCG(3, uint64(k))), k, rows, columns)
					byRow := each(k, rows, 1, func(row, _ int) uint64 {
						sum := *x.at(row, 0)
						for c := 1; c < columns; c++ {
							sum = fold(k, sum, *x.at(row, c))
						}
						return sum
					})
					byColumn := each(k, 1, columns, func(_, column int) uint64 {
						sum := *x.at(0, column)
						for r := 1; r < rows; r++ {
							sum = fold(k, sum, *x.at(r, column))
						}
						return sum
					})
					for _, want := range []matrix{byRow, byColumn} {
						body := load("%x", "@a", x) + fmt.Sprintf("  %%y = tile_reduce %%x [%s] : %s\n", name, want.tile()) + store("@b", "%y", want)
						runTiles(t, "", body, want, x)
					}
				})
			}
		}
	}
}

func TestTileExchanges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, k := range tileKinds {
		for _, c := range []struct {
			name, op      string
			rows, columns int // of the operand
			toRows, to    int // of the result
			from          func(row, column int) (int, int)
		}{
			{"a column", "broadcast", 5, 1, 5, 3, func(row, _ int) (int, int) { return row, 0 }},
			{"a row", "broadcast", 1, 3, 5, 3, func(_, column int) (int, int) { return 0, column }},
			{"one to a column", "broadcast", 1, 1, 4, 1, func(int, int) (int, int) { return 0, 0 }},
			{"one to a row", "broadcast", 1, 1, 1, 4, func(int, int) (int, int) { return 0, 0 }},
			{"transpose", "transpose", 5, 3, 3, 5, func(row, column int) (int, int) { return column, row }},
		} {
			t.Run(fmt.Sprint(k, " ", c.name), func(t *testing.T) {
				x := randomMatrix(r, k, c.rows, c.columns)
				want := each(k, c.toRows, c.to, func(row, column int) uint64 { return *x.at(c.from(row, column)) })
				body := load("%x", "@a", x) + fmt.Sprintf("  %%y = tile_%s %%x : %s\n", c.op, want.tile()) + store("@b", "%y", want)
				runTiles(t, "", body, want, x)
			})
		}
	}
}

// TestTileWindows compares tiles of windows with a matrix that loops over images, windows and their
// elements make. The tensors have channels first or last, and tiles begin outside.
func TestTileWindows(t *testing.T) {
	type pair = [2]int
	for name, c := range map[string]struct {
		n, h, w, channels            int
		taps, step, padding, dilated pair
		first                        bool // channels
	}{
		"3×3":            {2, 4, 5, 3, pair{3, 3}, pair{1, 1}, pair{1, 1}, pair{1, 1}, false},
		"channels first": {2, 5, 4, 3, pair{3, 2}, pair{1, 1}, pair{1, 0}, pair{1, 1}, true},
		"steps":          {1, 7, 6, 2, pair{2, 3}, pair{2, 3}, pair{0, 2}, pair{1, 1}, false},
		"dilated":        {1, 6, 7, 1, pair{3, 2}, pair{1, 2}, pair{2, 1}, pair{2, 3}, true},
		"1×1":            {3, 2, 3, 4, pair{1, 1}, pair{1, 1}, pair{0, 0}, pair{1, 1}, false},
		"cropped":        {1, 5, 5, 2, pair{2, 2}, pair{1, 1}, pair{-1, -1}, pair{1, 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			const offset = 2
			strides := [4]int{c.h * c.w * c.channels, c.w * c.channels, c.channels, 1}
			if c.first {
				strides = [4]int{c.h * c.w * c.channels, c.w, 1, c.h * c.w}
			}
			positions := func(size, side int) int {
				count := 0
				for at := -c.padding[side]; at+(c.taps[side]-1)*c.dilated[side] < size+c.padding[side]; at += c.step[side] {
					count++
				}
				return count
			}
			down, across := positions(c.h, 0), positions(c.w, 1)
			x := randomMatrix(rand.New(rand.NewPCG(9, 9)), scalar.F32, 1, offset+c.n*c.h*c.w*c.channels)
			all := newMatrix(scalar.F32, c.n*down*across, c.taps[0]*c.taps[1]*c.channels)
			row := 0
			for n := range c.n {
				for oy := range down {
					for ox := range across {
						column := 0
						for ky := range c.taps[0] {
							for kx := range c.taps[1] {
								for channel := range c.channels {
									y, x1 := oy*c.step[0]-c.padding[0]+ky*c.dilated[0], ox*c.step[1]-c.padding[1]+kx*c.dilated[1]
									if y >= 0 && y < c.h && x1 >= 0 && x1 < c.w {
										*all.at(row, column) = x.bits[offset+n*strides[0]+y*strides[1]+x1*strides[2]+channel*strides[3]]
									}
									column++
								}
							}
						}
						row++
					}
				}
			}
			for _, begin := range []pair{{0, 0}, {-1, 2}, {3, -2}} {
				want := each(scalar.F32, all.rows+1, all.columns+1, func(row, column int) uint64 {
					if row, column = row+begin[0], column+begin[1]; row < 0 || row >= all.rows || column < 0 || column >= all.columns {
						return 0
					}
					return *all.at(row, column)
				})
				var list strings.Builder
				for _, part := range [][]int{{offset, c.n, c.h, c.w, c.channels}, strides[:], c.taps[:], c.step[:], c.padding[:], c.dilated[:], {down, across}, begin[:]} {
					for _, v := range part {
						fmt.Fprintf(&list, ", %di", v)
					}
				}
				body := fmt.Sprintf("  %%y = tile_load_windows @a%s : %s\n", list.String(), want.tile()) + store("@b", "%y", want)
				runTiles(t, "", body, want, x)
			}
		})
	}
}
