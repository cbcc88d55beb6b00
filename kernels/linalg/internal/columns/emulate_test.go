package columns

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestEmulated runs the kernels for the smallest matrices on the emulators of PTX and SPIR-V, which
// report races, and compares the results with plain Go, to the bit.
func TestEmulated(t *testing.T) {
	const count, n = 3, 5
	one := gpu.D1(1)
	q, s, e := newOperands[float32](count, n, n), newOperands[float32](count, n, n), newOperands[float32](count, n, n)
	l := q.a.Layout()
	values, err := gpucValuesOfQr8_float32_Single(count, l, n*n, 0)
	emulated(t, "Qr8_float32_Single", values[:], err, []any{q.a.Data(), q.tau}, func() {
		GoQr8[float32, Single](one, count, q.a, n*n, 0, q.tau)
	})
	words, err := gpucValuesOfSvd8_float32_Single(count, l, n*n, relative, floor, l, n*n, l, n*n, all, 0)
	emulated(t, "Svd8_float32_Single", words[:], err, []any{s.a.Data(), s.values, s.u.Data(), s.v.Data(), s.info}, func() {
		GoSvd8[float32, Single](one, count, s.a, n*n, relative, floor, s.values, s.u, n*n, s.v, n*n, all, 0, s.info)
	})
	list, err := gpucValuesOfEigen8_float32_Single(count, l, n*n, relative, floor, l, n*n, 1, 0)
	emulated(t, "Eigen8_float32_Single", list[:], err, []any{e.a.Data(), e.values, e.v.Data(), e.info}, func() {
		GoEigen8[float32, Single](one, count, e.a, n*n, relative, floor, e.values, e.v, n*n, 1, 0, e.info)
	})
}

// emulated runs a kernel with these buffers on both emulators, by one workgroup, and as plain Go,
// which changes them.
func emulated(t *testing.T, name string, values []uint32, err error, buffers []any, plain func()) {
	t.Helper()
	contents := func(v any) []byte {
		data, problem := binary.Append(nil, binary.LittleEndian, v)
		if problem != nil {
			t.Fatal(problem)
		}
		return data
	}
	archive, problem := abi.OpenArchive(gpucArchive)
	if err != nil || problem != nil {
		t.Fatal(err, problem)
	}
	results := map[abi.Target][][]byte{}
	for target, run := range map[abi.Target]func(*abi.Artefact, *emulate.Launch) error{
		abi.PTX:   func(a *abi.Artefact, l *emulate.Launch) error { return ptx.Run(a.Code, &a.Kernel, l) },
		abi.SPIRV: func(a *abi.Artefact, l *emulate.Launch) error { return spirv.Run(a.Code, l) },
	} {
		a, err := archive.Artefact(name, target)
		if err != nil {
			t.Fatal(err)
		}
		l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{1, 1, 1}, Steps: 1 << 32}
		for k, b := range buffers {
			results[target] = append(results[target], contents(b))
			l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(k), Data: results[target][k]})
		}
		if len(a.Kernel.Bindings) > len(buffers) {
			l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(buffers)), Data: contents(values)})
		} else {
			l.Immediates = contents(values)
		}
		if err := run(a, l); err != nil {
			t.Fatalf("%s on %s: %v", name, target, err)
		}
	}
	plain()
	for target, list := range results {
		for k, got := range list {
			if !bytes.Equal(got, contents(buffers[k])) {
				t.Errorf("%s: buffer %d of %s has other bits than plain Go", name, k, target)
			}
		}
	}
}
