package jacobi

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

// TestEmulated runs the kernels that diagonalise, and those that multiply, on the emulators of PTX
// and SPIR-V, and compares the results with plain Go, to the bit.
func TestEmulated(t *testing.T) {
	const n, count = 5, 2
	host := make([]float32, count*n*n)
	for i := range host {
		host[i] = float32(i*i%17) - 8
	}
	a := gpu.NewMatrix(host, n, n)
	values, vectors, info := make([]float32, count*n), make([]float32, count*n*n), make([]int32, count)
	words, err := gpucValuesOfEigenSmall_float32(count, a.Layout(), n*n, 1e-7, 1, a.Layout(), n*n)
	if err != nil {
		t.Fatal(err)
	}
	emulated(t, "EigenSmall_float32", words[:], []any{host, values, vectors, info}, func() {
		GoEigenSmall(gpu.D1(1), count, a, n*n, 1e-7, values, 1, gpu.NewMatrix(vectors, n, n), n*n, info)
	})

	s := Shape{Count: 1, Rows: 20, Columns: 6, Blocks: 2, Parts: 1}
	w, g, done, changes, rotated := make([]float32, 20*Order), make([]float32, Order*Order), make([]int32, 1), make([]int32, Order), make([]int32, 1)
	for i := range w {
		if i%Order < 6 {
			w[i] = float32(i*i%23) - 11
		}
	}
	product, err := gpucValuesOfGram_float32(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	emulated(t, "Gram_float32", product[:], []any{w, done, g}, func() { GoGram(gpu.D1(1), s, 0, w, done, g) })
	rotation, err := gpucValuesOfRotate_float32(s, 0, 6, 1e-12, 1e-15)
	if err != nil {
		t.Fatal(err)
	}
	emulated(t, "Rotate_float32", rotation[:], []any{done, g, changes, rotated}, func() { GoRotate(gpu.D1(1), s, 0, 6, 1e-12, 1e-15, done, g, changes, rotated) })
	if rotated[0] != 1 {
		t.Error("no columns were rotated")
	}
	update, err := gpucValuesOfUpdate_float32(s, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	emulated(t, "Update_float32", update[:], []any{done, changes, g, w}, func() { GoUpdate(gpu.D1(1), s, 0, 20, done, changes, g, w) })
}

// emulated runs a kernel with these buffers on both emulators, by one workgroup, and as plain Go,
// which changes them.
func emulated(t *testing.T, name string, values []uint32, buffers []any, plain func()) {
	t.Helper()
	archive, err := abi.OpenArchive(gpucArchive)
	if err != nil {
		t.Fatal(err)
	}
	contents := func(v any) []byte {
		var data bytes.Buffer
		if err := binary.Write(&data, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
		return data.Bytes()
	}
	results := map[abi.Target][][]byte{}
	for _, target := range []abi.Target{"ptx", "spirv"} {
		a, err := archive.Artefact(name, target)
		if err != nil {
			t.Fatal(err)
		}
		l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{1, 1, 1}, Steps: 1 << 32}
		for _, b := range buffers {
			data := contents(b)
			results[target] = append(results[target], data)
			l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(l.Buffers)), Data: data})
		}
		if len(a.Kernel.Bindings) > len(l.Buffers) {
			l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(l.Buffers)), Data: contents(values)})
		} else {
			l.Immediates = contents(values)
		}
		if target == "ptx" {
			err = ptx.Run(a.Code, &a.Kernel, l)
		} else {
			err = spirv.Run(a.Code, l)
		}
		if err != nil {
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
