package signal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestEmulated runs the steps of plans on the emulators of PTX and SPIR-V, and compares the results
// with those of the CPU device. They have the same bits, but for kernels of package fast.
func TestEmulated(t *testing.T) {
	s := stream(t, gpu.CPU)
	n := 0
	some := func() bool {
		n++
		return testmode.Sampled(n, 4)
	}
	for _, shape := range [][]int{{30}, {256}, {3, 8}, {77}, {17}, {4096}, {20, 12}, {8192}, {512}, {1024, 8}, {16, 256}, {1000}, {1 << 14}, {26, 2}, {2187}, {1 << 15}, {2048, 8}} {
		if some() {
			plan := must(PlanFFT[complex64](s, shape, 1))
			x, y := buffer(t, s, narrow[complex64](random(plan.timeLength, 1))), buffer(t, s, make([]complex64, plan.timeLength))
			check(t, plan.Forward(x, y))
			emulated(t, fmt.Sprint("forward ", shape), s, plan.steps[0][0], x, y, nil)
			z := buffer(t, s, read(t, s, y))
			check(t, plan.Inverse(y, y))
			emulatedInPlace(t, fmt.Sprint("inverse ", shape), s, plan.steps[1][1], z, y)
		}
	}
	for _, n := range []int{12, 15, 34} {
		if some() {
			plan := must(PlanRealFFT[float64, complex128](s, []int{n}, 3))
			host, _ := reals[float64](3*n, 1)
			x, y, z := buffer(t, s, host), buffer(t, s, make([]complex128, plan.frequencyLength)), buffer(t, s, host)
			check(t, plan.Forward(x, y))
			emulated(t, fmt.Sprint("real ", n), s, plan.forward, x, y, nil)
			check(t, plan.Inverse(y, z))
			emulated(t, fmt.Sprint("inverse of real ", n), s, plan.inverse, y, z, nil)
		}
	}
	for kind := 2; kind <= 4; kind++ {
		if some() {
			plan := must(PlanDCT[float32](s, kind, 10, 2))
			host, _ := reals[float32](20, 1)
			x, y := buffer(t, s, host), buffer(t, s, make([]float32, 20))
			check(t, plan.Transform(x, y))
			emulated(t, fmt.Sprint("DCT ", kind), s, plan.steps, x, y, nil)
		}
	}
	for _, method := range []Method{Direct, ByFFT} {
		plan := must(PlanConvolution[float32](s, []int{4, 1200}, []int{2, 3}, 1, Same, By(method)))
		host, _ := reals[float32](4800, 1)
		taps, _ := reals[float32](6, 2)
		x, h, y := buffer(t, s, host), buffer(t, s, taps), buffer(t, s, make([]float32, 4800))
		check(t, plan.Convolve(x, h, y))
		emulated(t, fmt.Sprint("convolution ", method), s, plan.convolve, x, y, h)
	}
	plan := must(PlanSTFT[float32, complex64](s, 100, 1, Hann(16), 8))
	host, _ := reals[float32](100, 1)
	x, y, z := buffer(t, s, host), buffer(t, s, make([]complex64, plan.spectrum)), buffer(t, s, host)
	check(t, plan.Forward(x, y))
	emulated(t, "STFT", s, plan.forward, x, y, nil)
	check(t, plan.Inverse(y, z))
	emulated(t, "inverse of STFT", s, plan.inverse, y, z, nil)
}

// contents returns the bytes of a buffer.
func contents(t *testing.T, s *gpu.Stream, b gpu.Bound) []byte {
	t.Helper()
	var host any
	switch b := b.(type) {
	case *gpu.Buffer[complex64]:
		host = read(t, s, b)
	case *gpu.Buffer[complex128]:
		host = read(t, s, b)
	case *gpu.Buffer[float32]:
		host = read(t, s, b)
	case *gpu.Buffer[float64]:
		host = read(t, s, b)
	case *gpu.Buffer[uint32]:
		host = read(t, s, b)
	default:
		t.Fatalf("a buffer of type %T", b)
	}
	var data bytes.Buffer
	check(t, binary.Write(&data, binary.LittleEndian, host))
	return data.Bytes()
}

// numbers are the complex64 in memory.
func numbers(data []byte) []complex128 {
	list := make([]complex64, len(data)/8)
	if _, err := binary.Decode(data, binary.LittleEndian, list); err != nil {
		panic(err)
	}
	return wide(list)
}

// emulated runs steps, and compares the output with what a device has written.
func emulated(t *testing.T, name string, s *gpu.Stream, steps []step, in, out, second gpu.Bound) {
	t.Helper()
	want := contents(t, s, out)
	emulators(t, name, s, steps, want, output, func(memory *[roleCount][]byte) {
		memory[input], memory[output] = contents(t, s, in), make([]byte, len(want))
		if second != nil {
			memory[operand] = contents(t, s, second)
		}
	})
}

// emulatedInPlace is emulated for one buffer; before is a copy of its contents before.
func emulatedInPlace(t *testing.T, name string, s *gpu.Stream, steps []step, before, after gpu.Bound) {
	t.Helper()
	emulators(t, name, s, steps, contents(t, s, after), input, func(memory *[roleCount][]byte) { memory[input] = contents(t, s, before) })
}

func emulators(t *testing.T, name string, s *gpu.Stream, steps []step, want []byte, result role, prepare func(*[roleCount][]byte)) {
	t.Helper()
	exact := true
	for _, target := range []abi.Target{"ptx", "spirv"} {
		var memory [roleCount][]byte
		prepare(&memory)
		for r := range memory {
			if memory[r] == nil {
				memory[r] = make([]byte, 1<<18)
			}
		}
		for n := range steps {
			step := &steps[n]
			exact = exact && step.kernel.Archive == gpucArchive
			a, err := must(abi.OpenArchive(step.kernel.Archive)).Artefact(step.kernel.Name, target)
			check(t, err)
			l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{step.grid.X, max(step.grid.Y, 1), 1}, Steps: 1 << 32}
			bind := func(data []byte) {
				l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(l.Buffers)), Data: data})
			}
			for _, table := range step.tables {
				bind(contents(t, s, table))
			}
			for _, r := range step.roles {
				bind(memory[r])
			}
			var values bytes.Buffer
			check(t, binary.Write(&values, binary.LittleEndian, step.values))
			if len(a.Kernel.Bindings) > len(l.Buffers) {
				bind(values.Bytes())
			} else {
				l.Immediates = values.Bytes()
			}
			if e := a.Kernel.Extent; e != nil { // all items of the grid
				l.Immediates = append(l.Immediates, make([]byte, int(e.Offset)-len(l.Immediates))...)
				for _, dimension := range e.Dimensions {
					l.Immediates = binary.LittleEndian.AppendUint32(l.Immediates, l.Grid[dimension]*a.Kernel.Workgroup[dimension])
				}
			}
			if target == "ptx" {
				err = ptx.Run(a.Code, &a.Kernel, l)
			} else {
				err = spirv.Run(a.Code, l)
			}
			if err != nil {
				t.Fatalf("%s: step %d, %s, on %s: %v", name, n, a.Kernel.Name, target, err)
			}
		}
		if got := memory[result][:len(want)]; exact && !bytes.Equal(got, want) {
			t.Errorf("%s: %s has other bits than the CPU device", name, target)
		} else if e := relativeError(numbers(got), numbers(want)); !exact && !(e < limit[complex64](len(want)/8)) {
			t.Errorf("%s: %s has an error of %.3g", name, target, e)
		}
	}
}
