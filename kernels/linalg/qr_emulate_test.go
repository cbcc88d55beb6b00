package linalg

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestQREmulated runs the PTX of kernels of QR on the emulator, which reports races. The emulator
// runs one workgroup after another, so that the one of qrPanelOnce has all blocks.
func TestQREmulated(t *testing.T) {
	const rows, cols, number = blockRows + 9, 3, 5
	r := sourceOf(t, onCPU(t), 92)
	list := make([]float32, rows*cols)
	for i := range list {
		list[i] = float32(r.number())
		if i%cols == 1 { // another scale
			list[i] *= 1e-20
		}
	}
	bytesOf := func(list any) []byte {
		b, err := binary.Append(nil, binary.LittleEndian, list)
		check(t, err)
		return b
	}
	archive := must[*abi.Archive](t)(abi.OpenArchive(gpucArchive))
	const small = 9 // rows of a small matrix
	few := list[:2*small*cols]
	batch, tau := bytes.Clone(bytesOf(few)), make([]float32, 2*cols)
	plain := gpu.NewMatrix(append([]float32(nil), few...), 2*small, cols)
	goQrBatch32[float32, [4]float32](gpu.D1(1), 2, plain.Sub(0, 0, small, cols), small*cols, 0, tau)
	tall, tallTau := gpu.NewMatrix(append([]float32(nil), list...), rows, cols), make([]float32, cols)
	v, g := gpu.NewMatrix(make([]float32, rows*cols), rows, cols), gpu.NewMatrix(make([]float32, cols*cols), cols, cols)
	goQrPanel[float32, [4]float32](gpu.D1(1), tall, 0, tallTau, 0, v, g)
	panel := bytesOf(list)
	for _, test := range []struct {
		kernel  string
		values  []uint32
		buffers [][]byte
		to      []byte
		want    []byte
	}{
		{"qrBatch32_float32_4_float32", []uint32{2, 0, small, cols, cols, 1, small * cols, 0}, [][]byte{batch, make([]byte, 4*2*cols)}, batch, bytesOf(plain.Data())},
		{"qrPanelOnce_float32_4_float32_number32", []uint32{0, rows, cols, cols, 1, 0, 0, 0, rows, cols, cols, 1, 0, cols, cols, cols, 1, number},
			[][]byte{panel, make([]byte, 4*cols), make([]byte, 4*rows*cols), make([]byte, 4*cols*cols), bytesOf(make([]uint64, firstState+2*3*reflected))}, panel, bytesOf(tall.Data())},
	} {
		code := must[*abi.Artefact](t)(archive.Artefact(test.kernel, abi.PTX))
		launch := &emulate.Launch{Entry: test.kernel, Grid: [3]uint32{1, 1, 1}, Steps: 1 << 32}
		values := bytesOf(test.values)
		if len(code.Kernel.Bindings) > len(test.buffers) { // a buffer has them
			test.buffers = append(test.buffers, values)
		} else {
			launch.Immediates = values
		}
		for n, data := range test.buffers {
			b := code.Kernel.Bindings[n]
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
		}
		check(t, ptx.Run(code.Code, &code.Kernel, launch))
		if !bytes.Equal(test.to, test.want) {
			t.Errorf("%s: the bits are not those of plain Go", test.kernel)
		}
	}
}
