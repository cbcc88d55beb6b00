package all_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// TestExpansionsAreReached: each expansion of lower.Polyfill is used by some target, and else is
// deleted.
func TestExpansionsAreReached(t *testing.T) {
	for o := op.Invalid + 1; o < op.Count; o++ {
		if !lower.Expandable(o) {
			continue
		}
		reached := false
		for _, target := range all.Targets {
			reached = reached || expands(target, o)
		}
		if !reached {
			t.Errorf("no target has %s expanded", o)
		}
	}
}

// expands reports whether the polyfill of a target replaces an operation.
func expands(target *codegen.Target, o op.Op) bool {
	for _, p := range target.Lowering(workaround.All) {
		if p.Name != lower.Polyfill().Name {
			continue
		}
		m := ir.NewModule(nil)
		f := applying(m, o)
		(&opt.Context{List: new(diag.List)}).Run(m, []opt.Pass{p}, 0)
		for i := f.First(f.Entry); i != 0; i = f.Next(i) {
			if f.Op(i) == o {
				return false
			}
		}
		return true
	}
	return false
}

// applying adds a function that applies an operation of a regular signature to its
// parameters.
func applying(m *ir.Module, o op.Op) *ir.Func {
	s := op.SignatureOf(o)
	t := ir.Void
	for _, k := range []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.F32} {
		if s.Class.Contains(k) {
			t = ir.Type(k)
		}
	}
	f := m.NewFunc("f", m.PatternType(s.Result, t))
	var args []ir.Value
	for _, p := range s.Operands[:s.Count] {
		args = append(args, f.AddParam(f.Entry, m.PatternType(p, t)))
	}
	b := ir.NewBuilder(f)
	b.Return(b.Op(o, args...))
	return f
}
