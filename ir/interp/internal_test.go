package interp

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestFailureOfTheInterpreter: a panic in a worker, which has its own goroutine, is the launch's
// error; and the program goes on, as do its other launches.
func TestFailureOfTheInterpreter(t *testing.T) {
	m, _, items := ir.ParseString(`kernel @main(%i: u32 [global_invocation_index]) [workgroup 1u, 1u, 1u] {
  %v = construct %i, 1u : vec2<u32>
  %x = extract %v, %i : u32
  return
}
`)
	if m == nil {
		t.Fatal(items)
	}
	p, err := Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	right := p.images[Defined].code
	for _, workers := range []int{1, 4} {
		p.images[Defined].code = nil
		_, err := p.Run(&Launch{Grid: [3]uint32{1000, 1, 1}, Workers: workers})
		var internal *diag.InternalError
		if !errors.As(err, &internal) || !strings.Contains(err.Error(), "internal error while interpreting kernel `main`: runtime error: index out of range") {
			t.Errorf("%d workers: the error is %v", workers, err)
		}
		p.images[Defined].code = right
		if found, err := p.Run(&Launch{Grid: [3]uint32{1000, 1, 1}, Workers: workers}); err != nil || len(found) > 0 {
			t.Errorf("%d workers: afterwards %v, %v", workers, err, found)
		}
	}
}
