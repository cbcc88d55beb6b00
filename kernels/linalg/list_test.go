package linalg

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestGemmList: the products of a list are those of its entries one after the other.
func TestGemmList(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		lists[float32](t, s)
		lists[float64](t, s)
	})
}

func lists[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 21)
	for _, size := range some(r, [][3]int{{3, 2, 4}, {2, 0, 3}, {16, 5, 16}, {20, 33, 40}, {66, 3, 70}}, 2) {
		m, k, n := size[0], size[1], size[2]
		for _, options := range [][]Option{nil, {Strict()}} {
			r.loose = options == nil
			a, b, c := matrix[T](r, 3*m, k), matrix[T](r, k, n), matrix[T](r, 4*m, n)
			part := func(x operand[T], count, rows, stride int) Batch[T] {
				l := x.MatrixBuffer
				l.Rows = rows
				return Batch[T]{l, count, stride}
			}
			// Factors of b are the only one, and numbers of c are offsets of rows.
			list := [][3]int32{{2, 0, int32(3 * m)}, {0, 0, 0}, {3, 0, int32(m)}, {0, -1, int32(m)}, {1, 0, int32(3*m + 1)}, {0, 1, int32(2 * m)}, {2, 0, int32(2 * m)}}
			entries := must[*gpu.Buffer[[3]int32]](t)(gpu.Upload(context.Background(), s.Device(), list))
			check(t, GemmList(s, 0.5, part(a, 3, m, m*a.RowStride), part(b, 1, k, 0), 2, part(c, 3*m+1, m, c.RowStride), entries, options...))
			from := map[int]int{0: 0, 2: 2, 3: 2} // of which matrix of a one of c is the product
			c.expect(r, fmt.Sprintf("GemmList of %v %T, %v", size, *new(T), options), func(i, j int) (float64, float64) {
				p, ok := from[i/m]
				if !ok {
					return 0, -1
				}
				return element(0.5, func(i, l int) float64 { return a.at(p*m+i%m, l) }, b.at, k, 2, c, i, j)
			})
			check(t, entries.Close())
		}
	}
	check(t, GemmList(s, 1, Batch[T]{}, Batch[T]{}, 0, Batch[T]{}, nil))
	// What is not read may be NaN, and NaN of factors is in their products alone.
	entries := must[*gpu.Buffer[[3]int32]](t)(gpu.Upload(context.Background(), s.Device(), [][3]int32{{0, 0, 0}, {1, 0, 1}}))
	for _, options := range [][]Option{nil, {Strict()}} {
		a, b, c := matrix[T](r, 4, 3), matrix[T](r, 3, 2), matrix[T](r, 4, 2)
		a.fill(r, func(i, _ int) float64 {
			if i == 1 {
				return math.NaN()
			}
			return float64(i)
		})
		c.fill(r, func(int, int) float64 { return math.NaN() })
		half := func(x operand[T], stride int) Batch[T] {
			l := x.MatrixBuffer
			l.Rows = 2
			return Batch[T]{l, 2, stride}
		}
		check(t, GemmList(s, 1, half(a, 2*a.RowStride), Batch[T]{b.MatrixBuffer, 1, 0}, 0, half(c, 2*c.RowStride), entries, options...))
		got := read(r, c.Buffer)
		for i := range 4 {
			for j := range 2 {
				if v := wide(got[c.Offset+i*c.RowStride+j*c.ColStride]); math.IsNaN(v) != (i == 1) {
					t.Errorf("%T, %v: row %d has %v", *new(T), options, i, v)
				}
			}
		}
	}
	check(t, entries.Close())
}
