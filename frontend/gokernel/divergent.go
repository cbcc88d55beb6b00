package gokernel

import (
	"go/ast"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// A barrier that only a part of a workgroup comes to is a mistake whose effect differs from device
// to device: some wait for ever. opt/analysis knows which instructions all invocations of
// a workgroup execute. As it speaks of values, it looks at a copy whose variables have become
// values where they can.
//
// What it accepts is what WGSL accepts (WGSL §15.2), but for two things. A variable that stays one,
// because its elements are chosen by an index that is no constant, is taken to differ between
// items, where WGSL follows what is stored in it. What is read from workgroup memory
// differs unless gpu.UniformLoad reads it.

// divergent refuses barriers that not all items of a workgroup come to.
func (l *loader) divergent(m *ir.Module) {
	if !slices.ContainsFunc(m.Funcs, hasBarrier) {
		return
	}
	c := opt.Context{List: l.list}
	c.Borrow()
	defer c.Return()
	m = m.Clone()
	c.Run(m, []opt.Pass{opt.Sroa, opt.Mem2Reg}, ir.Initial)
	reported := map[source.Span]bool{}
	var u analysis.Uniform
	for _, f := range m.Funcs {
		if !hasBarrier(f) {
			continue
		}
		u.Analyse(f, analysis.Workgroup)
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) != op.ControlBarrier || !u.Partial(i) || reported[f.SpanOf(i)] {
				continue
			}
			reported[f.SpanOf(i)] = true
			l.list.Add(diag.Diagnostic{
				Code: diag.GoDivergentBarrier, Span: l.whole(f.SpanOf(i)),
				Message: "all items of a workgroup come to a barrier together, and only a part of them may come to this one",
				Notes:   append(l.why(m, f, &u, i), diag.Note{Message: "keep the barrier out of the branch, and put into it what only some of the items do"}),
			})
		}
	}
}

func hasBarrier(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.ControlBarrier {
			return true
		}
	}
	return false
}

// why says which condition keeps items from a barrier, and what that depends on.
func (l *loader) why(m *ir.Module, f *ir.Func, u *analysis.Uniform, barrier ir.Inst) []diag.Note {
	branch := u.Because(barrier)
	if branch == 0 {
		return nil
	}
	condition := u.Condition(branch)
	place := f.SpanOf(branch)
	if i, ok := f.Def(condition); ok && !f.Op(i).Is(op.Control) {
		place = f.SpanOf(i)
	}
	from := u.Source(condition)
	text := "this condition may differ between the items of a workgroup"
	if what := origin(m, f, from); what != "" {
		text = "this condition depends on " + what
	}
	notes := []diag.Note{{Span: l.whole(place), Message: text}}
	if i, ok := f.Def(from); ok && f.Op(i) != op.Var && m.Sources.Position(f.SpanOf(i).Start).Line != m.Sources.Position(place.Start).Line {
		notes = append(notes, diag.Note{Span: l.whole(f.SpanOf(i)), Message: "which is read here"})
	}
	return notes
}

// whole returns the span of the expression that go/ssa places at a point inside of it: a call at
// its parenthesis, an operation at its operator, an element at its bracket.
func (l *loader) whole(point source.Span) source.Span {
	text := l.set.File(point.Start)
	for _, p := range l.packages {
		for _, f := range p.Syntax {
			file := l.files.File(f.FileStart)
			if text == nil || l.texts[file.Name()] != text {
				continue
			}
			at, whole := file.Pos(int(point.Start-text.Base)), point
			ast.Inspect(f, func(n ast.Node) bool {
				found := false
				switch n := n.(type) {
				case *ast.CallExpr:
					found = n.Lparen == at
				case *ast.BinaryExpr:
					found = n.OpPos == at
				case *ast.IndexExpr:
					found = n.Lbrack == at
				}
				if found {
					whole = l.node(n)
				}
				return n != nil && n.Pos() <= at && at < n.End()
			})
			return whole
		}
	}
	return point
}

// origin says what a value is that differs between the items of a workgroup by itself.
func origin(m *ir.Module, f *ir.Func, v ir.Value) string {
	if v == ir.NoValue {
		return ""
	}
	i, ok := f.Def(v)
	if !ok {
		if n := slices.Index(f.Params(f.Entry), v); n >= 0 {
			return itemMethods[f.Builtins[n]]
		}
		return ""
	}
	switch o := f.Op(i); o {
	case op.Var:
		return "a variable of each item, " + f.ValueName(v) + ", whose elements are chosen by an index"
	case op.Load, op.AtomicLoad, op.AtomicReadModifyWrite, op.AtomicCompareExchange:
		base := f.Arg(i, 0)
		for !base.IsGlobal() {
			d, ok := f.Def(base)
			if !ok || f.Op(d) != op.Access {
				break
			}
			base = f.Arg(d, 0)
		}
		switch {
		case !base.IsGlobal():
			return "a variable that each item has for itself"
		case o != op.Load:
			return "an atomic access to " + m.Global(base).Name
		case m.SpaceOf(m.Global(base).Type) == ir.Workgroup:
			return m.Global(base).Name + ", which is workgroup memory: other items may write to it between two reads"
		}
		return m.Global(base).Name + ", which the kernel writes to"
	}
	return ""
}

// itemMethods are the methods of gpu.Item that give the builtin values that differ between items.
var itemMethods = [ir.BuiltinCount]string{
	ir.GlobalInvocationID:   "it.Index() or it.Global()",
	ir.LocalInvocationID:    "it.Local()",
	ir.LocalInvocationIndex: "it.LocalIndex()",
}
