package linalg

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg/internal/sparse"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// sparseOperand is a sparse matrix on the device and in memory.
type sparseOperand[T Real] struct {
	CSR[T]
	starts, columns []int32
	values          []T
}

// sparseMatrix makes a matrix whose row i has length(i) elements, at random columns. Its buffers
// have room for some more.
func sparseMatrix[T Real](r *source, rows, cols int, length func(i int) int) sparseOperand[T] {
	x := sparseOperand[T]{starts: []int32{0}}
	for i := range rows {
		n := min(length(i), cols)
		step := 1
		if n > 0 {
			step = cols / n
		}
		for k := range n {
			x.columns = append(x.columns, int32(k*step+r.IntN(step)))
			x.values = append(x.values, round[T](r.number()))
		}
		x.starts = append(x.starts, int32(len(x.columns)))
	}
	more := r.IntN(3)
	room := max(len(x.columns)+more, 1)
	columns, values := make([]int32, room), make([]T, room)
	copy(columns, x.columns)
	copy(values, x.values)
	for k := len(x.columns); k < room; k++ {
		columns[k], values[k] = -7, T(math.NaN())
	}
	x.CSR = CSR[T]{rows, cols, uploaded(r, x.starts), uploaded(r, columns), uploaded(r, values)}
	return x
}

// uploaded makes a buffer that lives as long as the test.
func uploaded[T any](r *source, host []T) *gpu.Buffer[T] {
	r.t.Helper()
	b := must[*gpu.Buffer[T]](r.t)(gpu.Upload(context.Background(), r.s.Device(), host))
	r.t.Cleanup(func() { check(r.t, b.Close()) })
	return b
}

// row calls f for the elements of a row.
func (x sparseOperand[T]) row(i int, f func(j int, v float64)) {
	for k := x.starts[i]; k < x.starts[i+1]; k++ {
		f(int(x.columns[k]), float64(x.values[k]))
	}
}

// forms are how long rows are: even, uneven, one that is very long, almost all empty, and none.
var forms = map[string]struct {
	rows, cols int
	length     func(i int) int
}{
	"short":  {300, 40, func(i int) int { return i % 7 }},
	"uneven": {70, 3000, func(i int) int { return 1 << (i % 11) }},
	"long":   {3, 3*sparse.PathTile + 100, func(i int) int { return 3 * sparse.PathTile * (i % 2) }},
	"two":    {2, 2*sparse.PathTile + 100, func(int) int { return 2*sparse.PathTile - 1 }},
	"empty":  {5000, 9, func(i int) int { return i / 4999 * 5 }},
	"none":   {20, 6, func(int) int { return 0 }},
	"column": {33, 1, func(i int) int { return i % 2 }},
}

// TestSparse compares products of sparse matrices with loops in float64.
func TestSparse(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		sparseProducts[float32](t, s)
		sparseProducts[float64](t, s)
	})
}

func sparseProducts[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 31)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		f := forms[name]
		a := sparseMatrix[T](r, f.rows, f.cols, f.length)
		for _, beta := range []float64{0, 0.5} {
			x, y := vector[T](r, f.cols), vector[T](r, f.rows)
			if beta == 0 { // what is not read
				y.fill(r, func(int, int) float64 { return math.NaN() })
			}
			check(t, MulVec(s, 2, a.CSR, x.vector(), T(beta), y.vector()))
			y.expect(r, fmt.Sprintf("MulVec of %s %T", name, *new(T)), func(_, i int) (float64, float64) {
				value, bound := 0.0, 0.0
				a.row(i, func(j int, v float64) {
					value += v * x.element(j)
					bound += math.Abs(v * x.element(j))
				})
				if beta != 0 {
					value += beta / 2 * y.element(i)
				}
				return 2 * value, 60 * epsilon[T]() * (bound + 1)
			})
			const n = 5
			b, c := matrix[T](r, f.cols, n), matrix[T](r, f.rows, n)
			if beta == 0 {
				c.fill(r, func(int, int) float64 { return math.NaN() })
			}
			check(t, MulMat(s, 2, a.CSR, b.MatrixBuffer, T(beta), c.MatrixBuffer))
			c.expect(r, fmt.Sprintf("MulMat of %s %T", name, *new(T)), func(i, col int) (float64, float64) {
				value, bound := 0.0, 0.0
				a.row(i, func(j int, v float64) {
					value += v * b.at(j, col)
					bound += math.Abs(v * b.at(j, col))
				})
				if beta != 0 {
					value += beta / 2 * c.at(i, col)
				}
				return 2 * value, 60 * epsilon[T]() * (bound + 1)
			})
		}
	}
}

// TestConversions: sparse matrices become their transposes and dense ones, and back.
func TestConversions(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		conversions[float32](t, s)
		conversions[float64](t, s)
	})
}

func conversions[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 32)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		f := forms[name]
		a := sparseMatrix[T](r, f.rows, f.cols, f.length)
		room := a.Values.Len()
		transposed := CSR[T]{f.cols, f.rows, uploaded(r, make([]int32, f.cols+1)), uploaded(r, make([]int32, room)), uploaded(r, make([]T, room))}
		check(t, TransposeCSR(s, a.CSR, transposed))
		var starts, columns []int32
		var values []T
		rows := make([][]int32, f.cols)
		numbers := make([][]T, f.cols)
		for i := range f.rows {
			for k := a.starts[i]; k < a.starts[i+1]; k++ {
				rows[a.columns[k]] = append(rows[a.columns[k]], int32(i))
				numbers[a.columns[k]] = append(numbers[a.columns[k]], a.values[k])
			}
		}
		starts = append(starts, 0)
		for j := range f.cols {
			columns, values = append(columns, rows[j]...), append(values, numbers[j]...)
			starts = append(starts, int32(len(columns)))
		}
		n := len(columns)
		if got := read(r, transposed.Starts); !slices.Equal(got, starts) {
			t.Fatalf("%s: the transpose has starts %v, want %v", name, got, starts)
		}
		if got := read(r, transposed.Columns)[:n]; !slices.Equal(got, columns) {
			t.Fatalf("%s: the transpose has columns %v, want %v", name, got, columns)
		}
		if got := read(r, transposed.Values)[:n]; !slices.Equal(got, values) {
			t.Fatalf("%s: the transpose has values %v, want %v", name, got, values)
		}
		if f.rows*f.cols > 1e5 {
			continue
		}
		dense := matrix[T](r, f.rows, f.cols)
		check(t, DenseOf(s, a.CSR, dense.MatrixBuffer))
		dense.expect(r, "the dense matrix of "+name, func(i, j int) (v, _ float64) {
			a.row(i, func(col int, x float64) {
				if col == j {
					v = x
				}
			})
			return v, 0
		})
		// Zeros of the sparse matrix are left out when it comes back.
		var kept CSR[T]
		kept.Rows, kept.Cols = f.rows, f.cols
		kept.Starts, kept.Columns, kept.Values = uploaded(r, make([]int32, f.rows+1)), uploaded(r, make([]int32, room)), uploaded(r, make([]T, room))
		check(t, CSROf(s, dense.MatrixBuffer, kept))
		starts, columns, values = []int32{0}, nil, nil
		for i := range f.rows {
			for k := a.starts[i]; k < a.starts[i+1]; k++ {
				if a.values[k] != 0 {
					columns, values = append(columns, a.columns[k]), append(values, a.values[k])
				}
			}
			starts = append(starts, int32(len(columns)))
		}
		if got := read(r, kept.Starts); !slices.Equal(got, starts) {
			t.Fatalf("%s: starts are %v, want %v", name, got, starts)
		}
		n = len(columns)
		if c, v := read(r, kept.Columns)[:n], read(r, kept.Values)[:n]; !slices.Equal(c, columns) || !slices.Equal(v, values) {
			t.Fatalf("%s: elements are %v and %v, want %v and %v", name, c, v, columns, values)
		}
	}
	// There is room for two of the five elements.
	dense := upload(r, gpu.MatrixLayout{Rows: 2, Cols: 3, RowStride: 3, ColStride: 1}, []T{0, 1, 2, 3, 4, T(math.NaN())})
	few := CSR[T]{2, 3, uploaded(r, make([]int32, 3)), uploaded(r, []int32{9, 9}), uploaded(r, []T{9, 9})}
	check(t, CSROf(s, dense.MatrixBuffer, few))
	if starts, columns, values := read(r, few.Starts), read(r, few.Columns), read(r, few.Values); !slices.Equal(starts, []int32{0, 2, 5}) || !slices.Equal(columns, []int32{1, 2}) || !slices.Equal(values, []T{1, 2}) {
		t.Errorf("too little room: %v, %v, %v", starts, columns, values)
	}
}

// TestEmptyCSR: a matrix without elements needs no buffers of them, and may have empty ones.
func TestEmptyCSR(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 34)
	for n, cols := range []int{0, 5, 0, 5} {
		const rows = 3
		a := CSR[float64]{rows, cols, uploaded(r, make([]int32, rows+1)), nil, nil}
		transposed := CSR[float64]{cols, rows, uploaded(r, slices.Repeat([]int32{9}, cols+1)), nil, nil}
		again := CSR[float64]{rows, cols, uploaded(r, slices.Repeat([]int32{9}, rows+1)), nil, nil}
		if n >= 2 {
			for _, m := range []*CSR[float64]{&a, &transposed, &again} {
				m.Columns, m.Values = uploaded(r, []int32{}), uploaded(r, []float64{})
			}
		}
		x, y, b, c := vector[float64](r, cols), vector[float64](r, rows), matrix[float64](r, cols, 2), matrix[float64](r, rows, 2)
		check(t, MulVec(s, 3, a, x.vector(), 2, y.vector()))
		y.expect(r, "MulVec", func(_, i int) (float64, float64) { return 2 * y.element(i), 0 })
		check(t, MulMat(s, 3, a, b.MatrixBuffer, 2, c.MatrixBuffer))
		c.expect(r, "MulMat", func(i, j int) (float64, float64) { return 2 * c.at(i, j), 0 })
		check(t, TransposeCSR(s, a, transposed))
		if got := read(r, transposed.Starts); cols > 0 && slices.Max(got) != 0 {
			t.Errorf("%d columns: the transpose has starts %v", cols, got)
		}
		dense := matrix[float64](r, rows, cols)
		check(t, DenseOf(s, a, dense.MatrixBuffer))
		dense.expect(r, "DenseOf", func(int, int) (float64, float64) { return 0, 0 })
		check(t, CSROf(s, dense.MatrixBuffer, again))
		if got := read(r, again.Starts); slices.Max(got) != 0 {
			t.Errorf("%d columns: starts are %v", cols, got)
		}
		info := uploaded(r, []int32{99})
		check(t, CheckCSR(s, a, info))
		if got := read(r, info); got[0] != 0 {
			t.Errorf("%d columns: row %d is wrong", cols, got[0])
		}
	}
}

// TestCheckCSR: the first row that is not well formed is found, and products do not read elsewhere.
func TestCheckCSR(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		r := sourceOf(t, s, 33)
		many := make([]int32, 701)
		for i := range many {
			many[i] = int32(min(i, 5))
		}
		wrong := slices.Clone(many)
		wrong[601] = 6
		for _, test := range []struct {
			what            string
			cols            int
			starts, columns []int32
			want            int32
		}{
			{"none", 9, []int32{0, 2, 2, 5}, []int32{0, 8, 1, 2, 3}, 0},
			{"a column", 8, []int32{0, 2, 2, 5}, []int32{0, 8, 1, 2, 3}, 1},
			{"a negative column", 8, []int32{0, 2, 2, 5}, []int32{0, 7, -1, 2, 3}, 3},
			{"columns that do not ascend", 8, []int32{0, 2, 2, 5}, []int32{0, 7, 1, 2, 2}, 3},
			{"starts that do not ascend", 8, []int32{0, 2, 1, 5}, []int32{0, 7, 1, 2, 3}, 2},
			{"a start beyond the elements", 8, []int32{0, 2, 1 << 30, 5}, []int32{0, 7, 1, 2, 3}, 2},
			{"a negative start", 8, []int32{-1 << 31, 2, 2, 5}, []int32{0, 7, 1, 2, 3}, 1},
			{"a first start that is not zero", 8, []int32{1, 2, 2, 5}, []int32{0, 7, 1, 2, 3}, 1},
			{"none of many rows", 8, many, []int32{0, 7, 1, 2, 3}, 0},
			{"a late row", 8, wrong, []int32{0, 7, 1, 2, 3}, 601},
			{"no rows", 8, nil, []int32{0}, 0},
		} {
			rows := max(len(test.starts)-1, 0)
			a := CSR[float32]{rows, test.cols, nil, uploaded(r, test.columns), uploaded(r, make([]float32, len(test.columns)))}
			if rows > 0 {
				a.Starts = uploaded(r, test.starts)
			}
			info := uploaded(r, []int32{99})
			check(t, CheckCSR(s, a, info))
			if got := read(r, info)[0]; got != test.want {
				t.Errorf("%s: row %d, want %d", test.what, got, test.want)
			}
			x, y, b, c := vector[float32](r, test.cols), vector[float32](r, rows), matrix[float32](r, test.cols, 2), matrix[float32](r, rows, 2)
			check(t, MulVec(s, 1, a, x.vector(), 0, y.vector()))
			check(t, MulMat(s, 1, a, b.MatrixBuffer, 0, c.MatrixBuffer))
			transposed := CSR[float32]{test.cols, rows, uploaded(r, make([]int32, test.cols+1)), uploaded(r, make([]int32, a.room())), uploaded(r, make([]float32, a.room()))}
			check(t, TransposeCSR(s, a, transposed))
			check(t, DenseOf(s, a, matrix[float32](r, rows, test.cols).MatrixBuffer))
			for i, v := range append(read(r, y.Buffer)[:rows], read(r, c.Buffer)...) {
				if math.Abs(float64(v)) > 1 { // values of a are zero
					t.Errorf("%s: element %d is %v", test.what, i, v)
				}
			}
		}
	})
}
