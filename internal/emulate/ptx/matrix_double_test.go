package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
)

// TestDoubleProducts multiplies matrices of float64 of each shape, which are dealt out to the
// registers here. The products need more bits than float32 has.
func TestDoubleProducts(t *testing.T) {
	for _, test := range []struct {
		shape       string
		rows, depth int
	}{{"m8n8k4", 8, 4}, {"m16n8k4", 16, 4}, {"m16n8k8", 16, 8}, {"m16n8k16", 16, 16}} {
		const columns, lanes = 8, 32
		left := func(r, k int) float64 { return float64((3*r+5*k+r*k)%7-3) + math.Ldexp(float64(r+k), -40) }
		right := func(k, c int) float64 { return float64((2*k+3*c+k*c)%5 - 2) }
		more := func(r, c int) float64 { return float64(10*r-3*c) + math.Ldexp(1, -40) }
		lefts, rights, sums := test.rows*test.depth/lanes, columns*test.depth/lanes, test.rows*columns/lanes
		each := lefts + rights + 2*sums // elements of a lane: of a, b, c and d
		data := make([]byte, lanes*each*8)
		put := func(lane, element int, x float64) {
			binary.LittleEndian.PutUint64(data[(lane*each+element)*8:], math.Float64bits(x))
		}
		down := test.rows / 8
		for k := range test.depth {
			for r := range test.rows {
				put(r%8*4+k%4, k/4*down+r/8, left(r, k))
			}
			for c := range columns {
				put(c*4+k%4, lefts+k/4, right(k, c))
			}
		}
		place := func(r, c int) (lane, element int) { return r%8*4 + c/2, r/8*2 + c%2 }
		for r := range test.rows {
			for c := range columns {
				lane, element := place(r, c)
				put(lane, lefts+rights+element, more(r, c))
			}
		}
		body := fmt.Sprintf("mul.wide.u32 %%d3, %%r1, %d; add.s64 %%d3, %%d1, %%d3; ", 8*each)
		list := func(first, count int) string {
			var names []string
			for n := range count {
				names = append(names, fmt.Sprintf("%%d%d", 4+first+n))
			}
			return "{" + strings.Join(names, ", ") + "}"
		}
		for n := range lefts + rights + sums {
			body += fmt.Sprintf("ld.global.b64 %%d%d, [%%d3+%d]; ", 4+n, 8*n)
		}
		body += fmt.Sprintf("mma.sync.aligned.%s.row.col.f64.f64.f64.f64 %s, %s, %s, %s; ", test.shape,
			list(lefts+rights+sums, sums), list(0, lefts), list(lefts, rights), list(lefts+rights, sums))
		for n := lefts + rights + sums; n < each; n++ {
			body += fmt.Sprintf("st.global.b64 [%%d3+%d], %%d%d; ", 8*n, 4+n)
		}
		text := strings.Replace(module(lanes, "", body), ".version 6.3\n.target sm_70", ".version 7.8\n.target sm_90", 1)
		text = strings.Replace(text, "%d<20>", "%d<32>", 1)
		err := ptx.Run([]byte(text), kernel(lanes, 0), &emulate.Launch{Entry: "main",
			Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Steps: 1 << 20})
		if err != nil {
			t.Fatalf("%s: %v", test.shape, err)
		}
		for r := range test.rows {
			for c := range columns {
				want := more(r, c)
				for k := range test.depth {
					want += left(r, k) * right(k, c)
				}
				lane, element := place(r, c)
				at := (lane*each + lefts + rights + sums + element) * 8
				if got := math.Float64frombits(binary.LittleEndian.Uint64(data[at:])); got != want {
					t.Fatalf("%s: row %d, column %d is %v, want %v", test.shape, r, c, got, want)
				}
			}
		}
	}
}
