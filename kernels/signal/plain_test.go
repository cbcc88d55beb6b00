package signal

import (
	"testing"

	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// pairsOf rounds complex numbers to what kernels have.
func pairsOf[T Float](x []complex128) [][2]T {
	list := make([][2]T, len(x))
	for k, v := range x {
		list[k] = [2]T{T(real(v)), T(imag(v))}
	}
	return list
}

func complexesOf[T Float](x [][2]T) []complex128 {
	list := make([]complex128, len(x))
	for k, v := range x {
		list[k] = complex(float64(v[0]), float64(v[1]))
	}
	return list
}

// scheduled returns the schedule of radices.
func scheduled(a arrangement, radices ...int) (s schedule) {
	for k, v := range scheduleOf(radices, a) {
		s[k/12][k/4%3][k%4] = v
	}
	return s
}

// TestPlainGo runs the kernels of transforms as Go functions: a transform of 256·30 numbers, of
// which the first pass is columns and the last one has twiddle factors, and rows.
func TestPlainGo(t *testing.T) {
	const a, b = 30, 256
	host := random(a*b, 3)
	x, z, y := pairsOf[float32](host), make([][2]float32, a*b), make([][2]float32, a*b)
	stages := pairsOf[float32](stageTable([]int{5, 3, 2}))
	p := pass{
		N: a, Batch: 32, Blocks: 8, Columns: b, Groups: 8, InColumn: 1, InElement: b, OutBlock: a, Span: 1, Inner: 1, Stages: 3, Bits: 5, Flags: rowsOut,
	}
	column := arrangement{pitch: 1, apart: 33, gaps: []int{0, 0}}
	goComposite[[4096][2]float32](gridOf(8), p, 1, []schedule{scheduled(column, 5, 3, 2)}, stages, stages, x, z)
	factors := passTable(a * b)
	p = pass{N: b, Batch: 8, Blocks: 4, Columns: a, Groups: 4, InColumn: 1, InElement: a, OutBlock: a * b, Span: a, Inner: 1, Shift: passShift(a * b), Flags: twiddled}
	p.Stages, p.Bits, column.apart = 3, 3, 8
	goComposite[[4096][2]float32](gridOf(4), p, 1, []schedule{scheduled(column, 8, 8, 4)}, pairsOf[float32](stageTable([]int{8, 8, 4})), pairsOf[float32](factors), z, y)
	if e := relativeError(complexesOf(y), reference(complexesOf(x), []int{a * b}, false)); !(e < limit[complex64](a*b)) {
		t.Errorf("a transform in two passes: an error of %.3g", e)
	}

	p = pass{N: a, Batch: 68, Blocks: 4, Columns: b, Groups: 4, InColumn: a, InElement: 1, OutBlock: a, Span: 1, Inner: 1, Stages: 3, Flags: rowsIn | rowsOut | conjugateIn | conjugateOut}
	goComposite[[4096][2]float32](gridOf(4), p, 0.5, []schedule{scheduled(arrange([]int{5, 3, 2}, 2048, 16), 5, 3, 2)}, stages, stages, x, y)
	binary := pass{N: b, Batch: 16, Blocks: 2, Columns: a, Groups: 2, InColumn: b, InElement: 1, OutBlock: b, Span: 1, Inner: 1, Flags: rowsIn | rowsOut}
	var table factorTable[float32]
	copy(table[:], pairsOf[float32](stageTable([]int{16, 16, 1})))
	goBinaryRows[n256](gridOf(2), binary, 1, []factorTable[float32]{table}, x, z)
	for row := range b {
		want := reference(complexesOf(x[row*a:][:a]), []int{a}, true)
		for k := range want {
			want[k] /= 2
		}
		if e := relativeError(complexesOf(y[row*a:][:a]), want); !(e < limit[complex64](a)) {
			t.Fatalf("row %d of %d numbers: an error of %.3g", row, a, e)
		}
	}
	for row := range a {
		if e := relativeError(complexesOf(z[row*b:][:b]), reference(complexesOf(x[row*b:][:b]), []int{b}, false)); !(e < limit[complex64](b)) {
			t.Fatalf("row %d of %d numbers: an error of %.3g", row, b, e)
		}
	}
}

// TestPlainFast runs the kernels of package fast as Go functions.
func TestPlainFast(t *testing.T) {
	test := func(p pass, name string, table []complex128, run func(stages []fast.FactorTable, x, y [][2]float32)) {
		t.Helper()
		n, columns := int(p.N), int(p.Columns)
		host := random(n*columns, 3)
		x, y := pairsOf[float32](host), make([][2]float32, n*columns)
		var stages fast.FactorTable
		copy(stages[:], pairsOf[float32](table))
		run([]fast.FactorTable{stages}, x, y)
		roots := make([]complex128, n)
		for k := range roots {
			roots[k] = root(k, n)
		}
		for c := range columns {
			column, got := make([]complex128, n), make([]complex128, n)
			for k := range n {
				v := x[c*int(p.InColumn)+k*int(p.InElement)]
				column[k] = complex(float64(v[0]), float64(v[1]))
				v = y[c/int(p.Span)*int(p.OutBlock)+c%int(p.Span)+k*int(p.Span)]
				got[k] = complex(float64(v[0]), float64(v[1]))
			}
			if e := relativeError(got, hostTransform(column, roots)); !(e < limit[complex64](n)) {
				t.Fatalf("%s: column %d of %d numbers: an error of %.3g", name, c, n, e)
			}
		}
	}
	across := pass{N: 512, Batch: 16, Blocks: 1, Columns: 8, Groups: 1, InColumn: 1, InElement: 8, Span: 8, OutBlock: 8 * 512, Inner: 1}
	test(across, "columns", stageTable([]int{32, 16}), func(stages []fast.FactorTable, x, y [][2]float32) {
		fast.GoTallColumns[fast.N512](gridOf(1), across, 1, stages, x, y)
	})
	// with this inner stride all twiddle factors are 1
	turned := pass{N: 1024, Batch: 8, Blocks: 1, Columns: 8, Groups: 1, InColumn: 1024, InElement: 1, Span: 8, OutBlock: 8 * 1024, Inner: 8, Flags: rowsIn | twiddled}
	test(turned, "rows", stageTable([]int{32, 32}), func(stages []fast.FactorTable, x, y [][2]float32) {
		fast.GoTurnedRows[fast.N1024](gridOf(1), turned, 1, stages, [][2]float32{{1, 0}, {1, 0}}, x, y)
	})
	for bit := range 2 {
		n := 8192 << bit
		long := pass{N: uint32(n), Batch: 1, Blocks: 1, Columns: 1, Groups: 1, InColumn: uint32(n), InElement: 1, Span: 1, OutBlock: uint32(n), Inner: 1, Flags: rowsIn | rowsOut}
		test(long, "long rows", append(stageTable([]int{16, 16 << bit}), longTable(n)...), func(stages []fast.FactorTable, x, y [][2]float32) {
			if bit == 0 {
				fast.GoLongRows(gridOf(1), long, 1, stages, x, y)
			} else {
				fast.GoLongestRows(gridOf(1), long, 1, stages, x, y)
			}
		})
	}
}

// TestPlainKernels compares other kernels as Go functions with the CPU device, to the bit.
func TestPlainKernels(t *testing.T) {
	s := stream(t, gpu.CPU)
	samples, _ := reals[float64](300, 1)
	taps, _ := reals[float64](9, 2)
	compare := func(name string, plain []float64, device *gpu.Buffer[float64]) {
		t.Helper()
		for k, v := range read(t, s, device) {
			if v != plain[k] {
				t.Fatalf("%s: element %d is %v as a Go function, and %v on the device", name, k, plain[k], v)
			}
		}
	}
	plain, device := make([]float64, 300), buffer(t, s, make([]float64, 300))
	d := sums{Batch: 3, OutRows: 1, OutColumns: 100, InRows: 1, InColumns: 100, KernelRows: 1, KernelCols: 9, Step: 1}
	goDirect(gridOf(d.blocks()), d, taps, samples, plain)
	check(t, FIR(s, buffer(t, s, taps), buffer(t, s, samples), device, 3, 1))
	compare("direct", plain, device)

	state, sos := make([]float64, 12), []float64{0.5, 0.25, 0.125, 2, -0.5, 0.25, 1, 0, -1, 1, 0.5, -0.25}
	goSections(gpu.D1(1), 3, 100, sos, state, samples, plain)
	deviceState := buffer(t, s, make([]float64, 12))
	check(t, Sections(s, buffer(t, s, sos), deviceState, buffer(t, s, samples), device, 3))
	compare("sections", plain, device)
	compare("state", state, deviceState)

	f := framing{Batch: 1, Samples: 300, Frames: 20, Length: 15, Hop: 15}
	weights := Hamming(15)
	goCut(gridOf(2), f, weights, samples, plain)
	goOverlap(gridOf(2), f, weights, plain, plain)
	for k, v := range plain {
		if d := v - samples[k]; d > 1e-15 || d < -1e-15 {
			t.Fatalf("sample %d is %v after both, want %v", k, v, samples[k])
		}
	}
	goWeightRows(gridOf(2), weights, plain)
	for k, v := range plain {
		if d := v - samples[k]*weights[k%15]; d > 1e-15 || d < -1e-15 {
			t.Fatalf("weighted sample %d is %v", k, v)
		}
	}
}
