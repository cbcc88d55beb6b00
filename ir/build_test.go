package ir_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestFlags builds operations with every flag there is: each gets those that can refine it.
func TestFlags(t *testing.T) {
	m := ir.NewModule(nil)
	f := m.NewFunc("f", ir.Void)
	b := ir.NewBuilder(f)
	i, x, v := f.AddParam(f.Entry, ir.I32), f.AddParam(f.Entry, ir.F32), f.AddParam(f.Entry, m.VectorOf(ir.F32, 3))
	words := b.Var(m.ArrayOf(ir.U32, m.ConstU32(4)), "words")
	b.Flags = ir.Contract | ir.Fast | ir.UniformResult | ir.InBounds
	pointer := b.Access(words, i)
	for _, test := range []struct {
		name  string
		built ir.Value
		want  ir.Flags
	}{
		{"access", pointer, ir.InBounds},
		{"load", b.Load(pointer), ir.UniformResult},
		{"integer sum", b.Op(op.Add, i, i), 0},
		{"integer quotient", b.Op(op.Div, i, i), 0},
		{"sum", b.Op(op.Add, x, x), ir.Contract | ir.Fast},
		{"sum of vectors", b.Op(op.Add, v, v), ir.Contract | ir.Fast},
		{"dot product", b.Op(op.Dot, v, v), ir.Contract | ir.Fast},
		{"quotient", b.Op(op.Div, x, x), ir.Fast},
		{"sine", b.Op(op.Sin, x), ir.Fast},
		{"absolute value", b.Op(op.Abs, x), 0},
		{"comparison", b.Op(op.Lt, x, x), 0},
		{"conversion", b.Convert(scalar.U32, x), 0},
		{"component", b.Extract(v, 1), 0},
	} {
		made, _ := f.Def(test.built)
		if got := f.Flags(made); got != test.want {
			t.Errorf("%s: got flags %#x, want %#x", test.name, got, test.want)
		}
	}
	b.Flags = 0
	pointer = b.AccessWithin(words, i)
	if made, _ := f.Def(pointer); f.Flags(made) != ir.InBounds || b.Flags != 0 {
		t.Errorf("an access within: flags %#x, and the builder is left with %#x", f.Flags(made), b.Flags)
	}
	if made, _ := f.Def(b.Access(words, i)); f.Flags(made) != 0 {
		t.Errorf("an access without flags has %#x", f.Flags(made))
	}
}
