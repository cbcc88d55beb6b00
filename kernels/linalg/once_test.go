package linalg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestOnce: kernels of one launch have the bits of those of two, again and again on a stream.
func TestOnce(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		onceAndTwice[float32](t, s)
		if s.Device().Info().Driver == gpu.CPU { // others compile a kernel for half a second
			onceAndTwice[float64](t, s)
		}
	})
}

func onceAndTwice[T Real](t *testing.T, s *gpu.Stream) {
	r, c := sourceOf(t, s, 71), new(chain)
	o := normOf[T]()
	for _, n := range append(some(r, append(lengths[1:], maxStates*block+block/2+5), 4), 3*block+1) {
		x, y := vector[T](r, n), vector[T](r, n)
		u, v, g := x.vector(), y.vector(), states(n)
		for _, f := range []struct {
			name        string
			once, twice func(to *gpu.Buffer[T]) error
		}{
			{"Dot", func(to *gpu.Buffer[T]) error { return dotOf(s, c, g, u, v, to) }, func(to *gpu.Buffer[T]) error { return Dot(s, u, v, to) }},
			{"Asum", func(to *gpu.Buffer[T]) error { return asumOf(s, c, g, u, to) }, func(to *gpu.Buffer[T]) error { return Asum(s, u, to) }},
			{"Nrm2", func(to *gpu.Buffer[T]) error { return nrm2Of(s, c, g, o, u, to) }, func(to *gpu.Buffer[T]) error { return Nrm2(s, u, to) }},
		} {
			once, twice := uploaded(r, []T{99, 98}), uploaded(r, []T{99, 98})
			check(t, errors.Join(f.once(once), f.twice(twice)))
			if a, b := read(r, once), read(r, twice); a[0] != b[0] || a[1] != 98 {
				t.Errorf("%s of %d %T: %v by one launch, and %v by two", f.name, n, T(0), a, b)
			}
		}
		once, twice := uploaded(r, []int32{99, 98}), uploaded(r, []int32{99, 98})
		check(t, errors.Join(iamaxOf(s, c, g, u, once), Iamax(s, u, twice)))
		if a, b := read(r, once), read(r, twice); a[0] != b[0] || a[1] != 98 {
			t.Errorf("Iamax of %d %T: %v by one launch, and %v by two", n, T(0), a, b)
		}
	}
	for _, size := range some(r, [][3]int{{700, 300, 128}, {256, 9, 8}, {1, 400, 64}, {300, 2000, 1000}}, 2) {
		m, n, width := size[0], size[1], size[2]
		a, x, y := matrix[T](r, n, m).T(), vector[T](r, n), vector[T](r, m)
		g := gpu.D2(groups(m, items).X, uint32((n+width-1)/width))
		for range 2 { // counters are zero again after each launch
			y.fill(r, func(int, int) float64 { return r.number() })
			check(t, gemvOf(s, c, g, 0.5, a.MatrixBuffer, width, x.vector(), 2, y.vector()))
			y.expect(r, fmt.Sprintf("%v %T", size, T(0)), func(_, i int) (float64, float64) {
				value, bound := 0.0, 0.0
				for j := range n {
					value += a.at(i, j) * x.element(j)
					bound += math.Abs(a.at(i, j) * x.element(j))
				}
				return 0.5*value + 2*y.element(i), 60 * epsilon[T]() * (bound + 1)
			})
		}
	}
	// Epochs begin again after the last one, and after a launch that failed.
	x, to := vector[T](r, 5000), uploaded(r, []T{99})
	c.number = math.MaxUint32 - 1
	var results [3]T
	for k := range results {
		check(t, asumOf(s, c, states(5000), x.vector(), to))
		results[k] = read(r, to)[0]
		if k == 1 {
			if err := asumOf(s, c, states(5000), Vector[T]{Len: 5000}, to); err == nil {
				t.Error("a launch without a buffer is no error")
			}
		}
	}
	if results[1] != results[0] || results[2] != results[0] || c.number != 1 {
		t.Errorf("sums of one vector are %v, with %d epochs", results, c.number)
	}
	c.drop()
}

// TestOnceEmulated runs the PTX of kernels of one launch on the emulator, which reports races.
func TestOnceEmulated(t *testing.T) {
	const n, groups, number, base = 2*block + 300, 3, 7, 30
	x := make([]float32, n)
	sum, greatest := float32(0), 0
	for i := range x {
		x[i] = float32(i%17 - 8)
		sum += x[i] * x[i]
		if x[i]*x[i] > x[greatest]*x[greatest] {
			greatest = i
		}
	}
	bytesOf := func(list any) []byte {
		b, err := binary.Append(nil, binary.LittleEndian, list)
		check(t, err)
		return b
	}
	archive := must[*abi.Archive](t)(abi.OpenArchive(gpucArchive))
	status, to := make([]uint64, firstState+most*groups), make([]byte, 4)
	status[0] = base
	const rows, cols = 300, 10
	line := [3]uint32{groups, 1, 1}
	y, product := make([]byte, 4*rows), make([]float32, rows)
	for i := range product {
		for j := range cols {
			product[i] += 2 * x[i+j*rows] * x[j]
		}
	}
	for _, test := range []struct {
		kernel  string
		grid    [3]uint32
		values  []uint32
		buffers [][]byte
		to      []byte
		want    []byte
	}{
		{"dotOnce_float32_number32", line, []uint32{n, 0, 1, 0, 1, number, base}, [][]byte{bytesOf(x), bytesOf(x), bytesOf(status), to}, to, bytesOf(sum)},
		{"iamaxOnce_float32_uint32_magnitude32_ranked32", line, []uint32{n, 0, 1, number, base}, [][]byte{bytesOf(x), bytesOf(status), to}, to, bytesOf(int32(greatest))},
		{"gemvColumnsOnce_float32_number32", [3]uint32{2, 3, 1}, []uint32{math.Float32bits(2), 0, rows, cols, 1, rows, 4, 0, 1, math.Float32bits(0), 0, 1, number},
			[][]byte{bytesOf(x), bytesOf(x), y, bytesOf(make([]uint64, firstState+3*rows))}, y, bytesOf(product)},
	} {
		code := must[*abi.Artefact](t)(archive.Artefact(test.kernel, abi.PTX))
		launch := &emulate.Launch{Entry: test.kernel, Grid: test.grid, Immediates: bytesOf(test.values), Steps: 1 << 30}
		for n, data := range test.buffers {
			b := code.Kernel.Bindings[n]
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
		}
		check(t, ptx.Run(code.Code, &code.Kernel, launch))
		if !bytes.Equal(test.to, test.want) {
			t.Errorf("%s: % x, want % x", test.kernel, test.to, test.want)
		}
	}
}

// TestChains: a stream has a chain only where workgroups may wait for others.
func TestChains(t *testing.T) {
	s := onCPU(t)
	if c := chainOf(s); c != nil {
		t.Error("the processor has a chain")
	}
	if waits(nil) {
		t.Error("no stream waits")
	}
}
