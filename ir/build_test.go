package ir_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// TestFolds has builders make operations on constants: instructions unless the builder folds,
// which makes constants of what constants determine and of nothing else.
func TestFolds(t *testing.T) {
	m := ir.NewModule(nil)
	f := m.NewFunc("f", ir.Void)
	parameter := f.AddParam(f.Entry, ir.U32)
	six, seven, zero := m.ConstU32(6), m.ConstU32(7), m.ConstU32(0)
	v2 := m.VectorOf(ir.U32, 2)
	for _, folds := range []bool{false, true} {
		b := ir.NewBuilder(f)
		b.Folds = folds
		for _, test := range []struct {
			name        string
			built, want ir.Value
		}{
			{"product", b.Op(op.Mul, six, seven), m.ConstU32(42)},
			{"quotient", b.Op(op.Div, six, zero), six}, // as a shader computes it
			{"conversion", b.Convert(scalar.F32, six), m.ConstF32(6)},
			{"bits", b.Bitcast(ir.F32, m.ConstU32(0x40000000)), m.ConstF32(2)},
			{"composite", b.Construct(v2, six, seven), m.ConstComposite(v2, []ir.Value{six, seven})},
		} {
			switch made, ok := f.Def(test.built); {
			case folds && test.built != test.want:
				t.Errorf("%s: folding gives %v, want %v", test.name, test.built, test.want)
			case !folds && (!ok || f.Last(f.Entry) == 0 || f.Type(made) != m.TypeOf(test.want)):
				t.Errorf("%s: no instruction of the right type is built", test.name)
			}
		}
		if v := b.Op(op.Add, parameter, six); !v.IsLocal() {
			t.Errorf("a sum with a parameter becomes %v", v)
		}
	}
}

// TestEvaluator evaluates const- and override-expressions.
func TestEvaluator(t *testing.T) {
	m := ir.NewModule(nil)
	b := ir.NewEvaluator(m)
	one, zero := m.ConstU32(1), m.ConstU32(0)
	if v := b.Op(op.Add, one, one); v != m.ConstU32(2) || b.Problem != "" {
		t.Errorf("1+1 is %v, and the problem %q", v, b.Problem)
	}
	v := b.Op(op.Div, one, zero)
	if v != ir.NoValue || b.Problem != "divides by zero" {
		t.Errorf("1/0 is %v, and the problem %q", v, b.Problem)
	}
	v = b.Extract(b.Splat(m.VectorOf(ir.U32, 3), b.Emit(op.Shl, ir.U32, 0, v, m.ConstU32(32))), 1)
	if v != ir.NoValue || b.Problem != "divides by zero" {
		t.Errorf("what follows a failure is %v, and the problem %q", v, b.Problem)
	}
	override := m.AddOverride(ir.Override{Name: "o", ID: -1, Type: ir.U32})
	v = b.Op(op.Mul, override, one)
	if !v.IsOverride() || m.Overrides[v.Index()].Op != op.Mul {
		t.Errorf("a product with an override is %v", v)
	}
	if len(m.Funcs) != 0 {
		t.Error("evaluation leaves a function")
	}
}

// TestOverrideProblem binds an override with which a const-expression would be an error, and
// expects what that says: of the operand's type, where it said that of the result's.
func TestOverrideProblem(t *testing.T) {
	set := &source.Set{}
	m := ir.NewModule(set)
	b := ir.NewEvaluator(m)
	override := m.AddOverride(ir.Override{Name: "o", ID: -1, Type: ir.F32})
	f := m.NewFunc("f", ir.Void)
	f.Checks = append(f.Checks, ir.Check{Value: b.Op(op.Pack2x16Float, b.Splat(m.VectorOf(ir.F32, 2), override))})
	ir.NewBuilder(f).Return(0)
	var list diag.List
	ir.BindOverrides(m, []ir.Setting{{Key: "o", Value: 1e6}}, &list)
	if items := list.Items(); len(items) != 1 || !strings.HasSuffix(items[0].Message, "is out of range of f32") {
		t.Errorf("got %v", items)
	}
}

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
