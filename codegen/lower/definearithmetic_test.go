package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// guarded are the operations that DefineArithmetic guards, with a condition for the guarded
// operand.
var guarded = []struct {
	op      op.Op
	from    scalar.Kind
	to      scalar.Kind // of conversions
	operand int
	safe    func(x []uint64, operand uint64) bool
}{
	{op.Div, scalar.I32, 0, 1, func(x []uint64, y uint64) bool { return y != 0 && (y != 0xffffffff || x[0] != 0x80000000) }},
	{op.Rem, scalar.I32, 0, 1, func(x []uint64, y uint64) bool { return y != 0 && (y != 0xffffffff || x[0] != 0x80000000) }},
	{op.Div, scalar.U32, 0, 1, func(_ []uint64, y uint64) bool { return y != 0 }},
	{op.Rem, scalar.I64, 0, 1, func(x []uint64, y uint64) bool { return y != 0 && (y != 1<<64-1 || x[0] != 1<<63) }},
	{op.Shl, scalar.U32, 0, 1, func(_ []uint64, n uint64) bool { return n < 32 }},
	{op.Shr, scalar.I32, 0, 1, func(_ []uint64, n uint64) bool { return n < 32 }},
	{op.Convert, scalar.F32, scalar.I32, 0, between(-0x1p31, 0x1.fffffep30)},
	{op.Convert, scalar.F32, scalar.U32, 0, between(0, 0x1.fffffep31)},
	// those of 32 bits become shifts (TestExpandI64)
	{op.ExtractBits, scalar.U64, 0, 1, func(_ []uint64, n uint64) bool { return n <= 64 }},
	{op.ExtractBits, scalar.I64, 0, 2, func(x []uint64, n uint64) bool { return min(x[1], 64)+n <= 64 }},
	{op.InsertBits, scalar.U64, 0, 3, func(x []uint64, n uint64) bool { return min(x[2], 64)+n <= 64 }},
}

func between(low, high float64) func([]uint64, uint64) bool {
	return func(_ []uint64, bits uint64) bool {
		x := scalar.ToFloat64(scalar.F32, bits)
		return low <= x && x <= high
	}
}

// TestDefineArithmetic runs operations with guards. The results do not change, and machines agree
// on the guarded operand.
func TestDefineArithmetic(t *testing.T) {
	for _, g := range guarded {
		t.Run(fmt.Sprintf("%s/%s/%d", g.op, g.from, g.operand), func(t *testing.T) {
			result := ir.Type(g.to)
			operands := func(m *ir.Module) []ir.Type {
				if g.op == op.Convert {
					return []ir.Type{ir.Type(g.from)}
				}
				return typesOf(m, g.op, variant{g.from, 1})
			}
			original := kernelOf(g.op, result, operands)
			total := original.Clone()
			c := &opt.Context{List: new(diag.List), Verify: true}
			c.Run(total, []opt.Pass{lower.DefineArithmetic(lower.GuardAll)}, 0)
			random := rand.New(rand.NewPCG(uint64(g.op), uint64(g.from)))
			var inputs [][]uint64
			for n, x := range operands(original) {
				inputs = append(inputs, operandsOf(random, scalar.Kind(x), 1, n))
			}
			want, got := runKernel(t, original, inputs), runKernel(t, total, inputs)
			storeOperand(t, total, g.op, g.operand)
			seen := runKernel(t, total, inputs)
			for n := range want {
				x := make([]uint64, len(inputs))
				for j := range x {
					x[j] = inputs[j][n]
				}
				if want[n] != got[n] {
					t.Fatalf("%s of %#x is %#x, want %#x", g.op, x, got[n], want[n])
				}
				if !g.safe(x, seen[n]) {
					t.Fatalf("%s of %#x gets the operand %#x", g.op, x, seen[n])
				}
			}
		})
	}
}

// storeOperand makes a kernel store the bits of an operand of its operation
// instead of the result.
func storeOperand(t *testing.T, m *ir.Module, o op.Op, operand int) {
	f := m.Kernels()[0]
	v := ir.NoValue
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		switch f.Op(i) {
		case o:
			v = f.Arg(i, operand)
		case op.Store:
			b := ir.Builder{F: f}
			b.SetBefore(i)
			switch want, has := f.TypeOf(f.Arg(i, 1)), f.TypeOf(v); {
			case m.ScalarOf(want).Bits() != m.ScalarOf(has).Bits():
				v = b.Convert(m.ScalarOf(want), v)
			case want != has:
				v = b.Bitcast(want, v)
			}
			f.SetArg(i, 1, v)
		}
	}
	if v == ir.NoValue {
		t.Fatalf("no %s in\n%s", o, m.Text())
	}
}

// TestPolyfillRefuses checks that a target cannot list an operation without an expansion.
func TestPolyfillRefuses(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an operation without an expansion was accepted")
		}
	}()
	lower.Polyfill(op.Load)
}
