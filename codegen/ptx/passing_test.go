package ptx_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/passing"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

var everyPassing = flag.Bool("passing", false, "every program that passes pointers, not those of 2 and 36 calls alone")

// TestPassing runs programs that pass every kind of pointer to functions on the
// emulator.
func TestPassing(t *testing.T) {
	options := []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}, {Bounds: opt.BoundsTrap},
		{Bounds: opt.BoundsTrap, NoOptimize: true}, {Math: opt.MathStrict}}
	passing.Each(!*everyPassing, func(p passing.Options) {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			program := passing.New(p)
			for _, o := range options {
				if err := runPassing(program, o); err != nil {
					t.Fatalf("bounds %d, math %d, plain %v: %v\n%s", o.Bounds, o.Math, o.NoOptimize, err, program.Text)
				}
			}
		})
	})
}

func runPassing(program passing.Program, o codegen.Options) error {
	p, err := jit.Parse("passing.wgsl", program.Text, o)
	if err != nil {
		return err
	}
	var list diag.List
	a := codegen.Compile(p.Module(), "main", &ptx.Target, &o, &list)
	if a == nil {
		return fmt.Errorf("refused: %s", list.Items()[0].Message)
	}
	code, err := read(string(a.Code))
	if err != nil {
		return err
	}
	var buffers [][]byte
	var lengths []int64
	for n, b := range a.Kernel.Bindings {
		buffer := make([]byte, b.Size)
		if n < len(program.Buffers) { // else the record of faults
			buffer = bytesOf(program.Buffers[n].Before)
		}
		length := int64(-1)
		if b.Stride != 0 {
			length = int64(b.Length(uint64(len(buffer))))
		}
		buffers, lengths = append(buffers, buffer), append(lengths, length)
	}
	if err := code.launch(a.Kernel.Name, [3]uint32{1, 1, 1}, buffers, lengths, nil); err != nil {
		return err
	}
	for n, b := range program.Buffers {
		for k, want := range b.Want {
			if got := binary.LittleEndian.Uint32(buffers[n][4*k:]); got != want {
				return fmt.Errorf("word %d of binding %d is %#x, want %#x", k, b.Binding, got, want)
			}
		}
	}
	return nil
}

func bytesOf(words []uint32) (b []byte) {
	for _, x := range words {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}
