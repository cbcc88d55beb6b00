package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// straight evaluates a function without control flow on constant arguments.
func straight(t testing.TB, f *ir.Func, args ...ir.Value) ir.Value {
	m := f.Module
	values := make([]ir.Value, f.ValueCount())
	for n, p := range f.Params(f.Entry) {
		values[p] = args[n]
	}
	get := func(v ir.Value) ir.Value {
		if v.IsLocal() {
			return values[v]
		}
		return v
	}
	for i := f.First(f.Entry); ; i = f.Next(i) {
		var operands []ir.Value
		for _, a := range f.Args(i) {
			operands = append(operands, get(a))
		}
		if f.Op(i) == op.Return {
			return operands[0]
		}
		v, ok := m.Fold(f.Op(i), f.Type(i), f.Aux(i), operands)
		if !ok {
			t.Fatalf("cannot evaluate %s", f.InstText(i))
		}
		values[f.Result(i)] = v
	}
}

// binary makes a function of x that returns an operation on x and a constant.
func binary(o op.Op, t ir.Type, y uint32) *ir.Func {
	m := ir.NewModule(nil)
	f := m.NewFunc("f", t)
	x := f.AddParam(f.Entry, t)
	b := ir.NewBuilder(f)
	b.Return(b.Op(o, x, m.ConstScalar(t, uint64(y))))
	return f
}

func TestDivByConstant(t *testing.T) {
	interesting := []uint32{0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 25, 28, 60, 97, 100, 125, 127, 128, 255, 256, 641, 1000, 1 << 15, 65535,
		65536, 65537, 1000003, 1<<30 - 1, 1 << 30, 1<<30 + 1, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, 3 << 30, 1<<32 - 3, 1<<32 - 2, 1<<32 - 1}
	random := rand.New(rand.NewPCG(1, 2))
	divisors := append([]uint32(nil), interesting...)
	for range 40 {
		divisors = append(divisors, random.Uint32()>>random.IntN(32))
	}
	for _, kind := range []ir.Type{ir.U32, ir.I32} {
		for _, o := range []op.Op{op.Div, op.Rem} {
			for _, d := range divisors {
				f := binary(o, kind, d)
				lower.DivByConstant.Run(&opt.Context{List: new(diag.List)}, f.Module)
				var list diag.List
				if ir.Verify(f.Module, &list); list.Errors() > 0 {
					t.Fatalf("%v", list.Items())
				}
				xs := append([]uint32(nil), interesting...)
				for k := range uint32(6) { // around multiples of the divisor
					xs = append(xs, d*k-1, d*k, d*k+1, -d*k)
				}
				for range 12 {
					xs = append(xs, random.Uint32()>>random.IntN(32))
				}
				for _, x := range xs {
					got := straight(t, f, f.Module.ConstScalar(kind, uint64(x)))
					want, _ := f.Module.Fold(o, kind, 0, []ir.Value{f.Module.ConstScalar(kind, uint64(x)), f.Module.ConstScalar(kind, uint64(d))})
					if got != want {
						t.Fatalf("%s %s: %d by %d is %s, want %s", f.Module.TypeString(kind), o, x, d,
							f.Module.ValueString(got), f.Module.ValueString(want))
					}
				}
			}
		}
	}
}

func TestDivByConstantLeavesNoDivision(t *testing.T) {
	for _, d := range []uint32{1, 2, 3, 7, 10, 1 << 31, 1<<32 - 1} {
		for _, kind := range []ir.Type{ir.U32, ir.I32} {
			f := binary(op.Div, kind, d)
			lower.DivByConstant.Run(&opt.Context{List: new(diag.List)}, f.Module)
			for i := f.First(f.Entry); i != 0; i = f.Next(i) {
				if f.Op(i) == op.Div {
					t.Errorf("a division by %d remains", d)
				}
			}
		}
	}
}
