package small

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestEmulated runs the PTX of the kernels for whole matrices of float32 on the emulator, which
// reports races and accesses outside of buffers.
func TestEmulated(t *testing.T) {
	a, err := abi.OpenArchive(archive)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, side := range []int{16, 32, 64} {
		const count = 2
		name := fmt.Sprintf("single%dOf", side)
		code, err := a.Artefact(name, abi.PTX)
		if err != nil {
			t.Fatal(err)
		}
		each := side * side
		var lists [3][]float32
		var data [3][]byte
		for n := range lists {
			for range count * each {
				lists[n] = append(lists[n], float32(r.IntN(9)-4))
			}
			if data[n], err = binary.Append(nil, binary.LittleEndian, lists[n]); err != nil {
				t.Fatal(err)
			}
		}
		// Products of matrix p of the one and 1 − p of the other factor, with alpha 2 and beta −1.
		values := []uint32{count, math.Float32bits(2), math.Float32bits(-1), 0, 1, 1, 1<<32 - 1, 0, 1}
		immediates, err := binary.Append(nil, binary.LittleEndian, values)
		if err != nil {
			t.Fatal(err)
		}
		launch := &emulate.Launch{Entry: name, Grid: [3]uint32{1, 1, 1}, Immediates: immediates, Steps: 1 << 32}
		for n := range data {
			b := code.Kernel.Bindings[n]
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data[n]})
		}
		if err := ptx.Run(code.Code, &code.Kernel, launch); err != nil {
			t.Fatal(err)
		}
		for e := range count * each {
			p, i, j := e/each, e%each/side, e%side
			sum := float32(0)
			for k := range side {
				sum += lists[0][p*each+i*side+k] * lists[1][(1-p)*each+k*side+j]
			}
			want := 2*sum - lists[2][e]
			if got := math.Float32frombits(binary.LittleEndian.Uint32(data[2][4*e:])); got != want {
				t.Fatalf("%s: element %d is %v, want %v", name, e, got, want)
			}
		}
	}
}
