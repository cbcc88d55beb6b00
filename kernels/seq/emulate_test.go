package seq

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// emulated runs the PTX of a kernel on the emulator, which executes one workgroup after the other
// and reports races and accesses outside of buffers. Buffers are written.
func emulated(t *testing.T, kernel string, workgroups int, values []uint32, buffers ...[]byte) {
	t.Helper()
	a, err := abi.OpenArchive(archive)
	if err != nil {
		t.Fatal(err)
	}
	code, err := a.Artefact(kernel, abi.PTX)
	if err != nil {
		t.Fatal(err)
	}
	launch := &emulate.Launch{Entry: kernel, Grid: [3]uint32{uint32(workgroups), 1, 1}, Immediates: words32(values), Steps: 1 << 32}
	for n, data := range buffers {
		b := code.Kernel.Bindings[n]
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
	}
	if err := ptx.Run(code.Code, &code.Kernel, launch); err != nil {
		t.Fatal(err)
	}
}

func words32(x []uint32) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, x) // to memory
	return b.Bytes()
}

func wordsIn(b []byte) []uint32 {
	x := make([]uint32, len(b)/4)
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return x
}

// TestEmulated runs the kernels that wait for others as PTX, which only CUDA does.
func TestEmulated(t *testing.T) {
	const n, tiles, epoch = 2*32768 + 300, 3, 8
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32()
	}

	const whole = n / scanBlock * scanBlock
	data, out, rest := words32(x), make([]byte, 4*whole), make([]byte, 4*(n-whole))
	status := make([]byte, 8*(statusTotals+2*levelStart(tiles, levels)))
	emulated(t, scanKernels[isUint32].sum, tiles, []uint32{n, tiles, wantSum, epoch, 0, 0}, data[:4*whole], data, status, out, rest)
	sum := uint32(0)
	for i, got := range wordsIn(append(out, rest...)) {
		if sum += x[i]; got != sum {
			t.Fatalf("element %d of the scan is %d, want %d", i, got, sum)
		}
	}

	const (
		shift   = 8
		few     = 2*4096 + 300
		sortsIn = 3 // tiles
	)
	x, data = x[:few], data[:4*few]
	out = make([]byte, 4*few)
	bases := make([]uint32, 4*radix)
	for _, v := range x {
		bases[radix+v>>shift%radix]++
	}
	for d, at := 0, uint32(0); d < radix; d++ {
		bases[radix+d], at = at, at+bases[radix+d]
	}
	values := make([]byte, 4*few)
	status = make([]byte, 8*(statusTotals+radix*sortsIn))
	emulated(t, sortKernels[0].move[byChained], sortsIn, []uint32{few, shift, withValues | indexValues, epoch, 0}, data[:few/4096*4096*4], data, make([]byte, 4), words32(bases), status, out, values)
	order := make([]uint32, few)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return int(x[i]>>shift%radix) - int(x[j]>>shift%radix) })
	keys := wordsIn(out)
	for i, got := range wordsIn(values) {
		if got != order[i] || keys[i] != x[got] {
			t.Fatalf("value %d is %d with key %#x, want %d with %#x", i, got, keys[i], order[i], x[order[i]])
		}
	}
}
