package cuda

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
)

// TestCopier executes the kernel that copies, on lengths around those of workgroups.
func TestCopier(t *testing.T) {
	a := copier()
	if n := declared(a.Code, a.Kernel.Name); n != len(a.Kernel.Parameters) {
		t.Errorf("the code has %d parameters, and its description %d", n, len(a.Kernel.Parameters))
	}
	for _, vectors := range []int{1, 255, 256, 257, 1000} {
		source, target := make([]byte, 16*vectors), make([]byte, 16*vectors)
		for i := range source {
			source[i] = byte(i*7 + i/256)
		}
		err := ptx.Run(a.Code, &a.Kernel, &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{uint32(vectors+255) / 256, 1, 1},
			Buffers: []emulate.Buffer{{Data: bytes.Clone(source)}, {Binding: 1, Data: target}}})
		if err != nil || !bytes.Equal(target, source) {
			t.Errorf("%d vectors: %v, equal %v", vectors, fmt.Sprint(err), bytes.Equal(target, source))
		}
	}
}
