package gokernel

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// A barrier that only a part of a workgroup reaches has effects that differ between devices: some
// hang. So has a subgroup operation that only a part of a subgroup reaches: on some devices
// inactive items contribute to the result. analysis.Uniform knows which instructions all items of a
// workgroup or subgroup execute. As it analyses values, it runs on a copy of the module whose
// variables have been promoted to values where possible.
//
// It accepts what WGSL's uniformity analysis accepts (WGSL §15.2), with three exceptions:
//
//   - A variable that is not promoted, because its elements are chosen by an index that is no
//     constant, is non-uniform, where WGSL follows the values stored in it.
//   - A load from workgroup memory is non-uniform unless gpu.UniformLoad makes it.
//   - The result of SubgroupBroadcast is non-uniform unless it is lane 0's: not every subgroup has
//     the other lanes.

// convergent are the classes of convergent operations, which all items of a scope must execute
// together: barriers those of a workgroup, and subgroupFunctions those of a subgroup.
var convergent = [...]struct {
	scope      analysis.Scope
	code       diag.Code
	all        string
	what, hint string // formats of nameOfConvergent's results
}{
	{analysis.Workgroup, diag.GoDivergentBarrier, "a workgroup",
		"%s", "keep %s out of the branch, and put into it what only some of the items do"},
	{analysis.Subgroup, diag.GoDivergentSubgroup, "a subgroup",
		"gpu.%s", "keep %s out of the branch, where items that have nothing to contribute pass a neutral value, and use the result in it"},
}

// isConvergent reports whether an operation is one that items execute together.
func isConvergent(o op.Op) bool {
	return o == op.ControlBarrier || op.Tiles.Has(o) && !ofItems.Has(o) || subgroupFunctionOf(o) != nil
}

// scopeOf returns the scope of a convergent operation, and its function if that is one on
// subgroups.
func scopeOf(f *ir.Func, i ir.Inst) (scope analysis.Scope, function *subgroupFunction, ok bool) {
	o := f.Op(i)
	switch {
	case !isConvergent(o):
		return 0, nil, false
	case o == op.ControlBarrier && op.Memory(f.Aux(i))&op.SubgroupScope != 0:
		return analysis.Subgroup, &subgroupBarrier, true
	}
	if function = subgroupFunctionOf(o); function != nil {
		return analysis.Subgroup, function, true
	}
	return analysis.Workgroup, nil, true
}

// ofItems are the operations on tiles that each item executes for itself.
var ofItems = op.SetOf(op.TileCount, op.TileRow, op.TileColumn, op.TileGet)

// nameOfConvergent names a convergent operation for messages and for their hints.
func nameOfConvergent(o op.Op, function *subgroupFunction) (name, inHint string) {
	switch {
	case function != nil:
		return function.name, "the call"
	case o == op.ControlBarrier:
		return "a barrier", "the barrier"
	}
	return "an operation on tiles", "the operation"
}

// divergent reports convergent operations that not all items of their scope may reach, and shuffles
// with non-uniform arguments that must be uniform.
func (l *loader) divergent(m *ir.Module) {
	if !slices.ContainsFunc(m.Funcs, synchronises) {
		return
	}
	c := opt.Context{List: l.list}
	c.Borrow()
	defer c.Return()
	m = m.Clone()
	c.Run(m, []opt.Pass{opt.PromoteTiles, opt.Sroa, opt.Mem2Reg}, ir.Initial)
	reported := map[source.Span]bool{}
	for _, f := range m.Funcs {
		has := map[analysis.Scope]bool{}
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if scope, _, ok := scopeOf(f, i); ok {
				has[scope] = true
			}
		}
		for _, row := range convergent {
			if !has[row.scope] {
				continue
			}
			d := divergence{loader: l, m: m, f: f, all: row.all}
			d.u.Analyse(f, row.scope)
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				scope, function, ok := scopeOf(f, i)
				at := f.SpanOf(i)
				if !ok || scope != row.scope || reported[at] {
					continue
				}
				name, inHint := nameOfConvergent(f.Op(i), function)
				what, hint := fmt.Sprintf(row.what, name), fmt.Sprintf(row.hint, inHint)
				switch {
				case d.u.Partial(i):
					reported[at] = true
					d.refuse(row.code, at, append(d.why(i), diag.Note{Message: hint}),
						"all items of %s must reach %s, and only a part of them may reach this one", row.all, what)
				case op.Tiles.Has(f.Op(i)):
					if n := d.varying(i); n >= 0 {
						reported[at] = true
						d.refuse(diag.GoDivergentBarrier, at, d.depends(f.Arg(i, n), at, "it"), "the items of a workgroup %s may differ between them", d.sharedOperand(i, n))
					}
				case function != nil && function.shared && d.u.Varies(f.Arg(i, 1)):
					reported[at] = true
					d.refuse(row.code, at, append(d.depends(f.Arg(i, 1), at, "the "+function.last), diag.Note{Message: shuffleHint}),
						"the items of %s give %s one %s, and this one may differ between them", row.all, what, function.last)
				}
			}
		}
	}
}

// divergence is the state for the messages about one function.
type divergence struct {
	*loader
	m   *ir.Module
	f   *ir.Func
	u   analysis.Uniform
	all string // the scope, as in "a workgroup"
}

func (d *divergence) refuse(code diag.Code, at source.Span, notes []diag.Note, format string, args ...any) {
	if shown := d.shownInstances[d.f.Name]; shown != "" {
		notes = append(notes, diag.Note{Message: "in " + shown})
	}
	d.list.Add(diag.Diagnostic{Code: code, Span: d.expressionSpan(at), Message: fmt.Sprintf(format, args...), Notes: notes})
}

// varying returns the first operand of an operation on tiles that all items have to give alike and
// that may differ between them, or -1. TileSet has an element of each item.
func (d *divergence) varying(i ir.Inst) int {
	args := d.f.Args(i)
	if d.f.Op(i) == op.TileSet {
		args = args[:1]
	}
	return slices.IndexFunc(args, d.u.Varies)
}

// sharedOperand says in a message what an operand of an operation on tiles is for.
func (d *divergence) sharedOperand(i ir.Inst, n int) string {
	switch o := d.f.Op(i); {
	case d.m.IsTile(d.f.TypeOf(d.f.Arg(i, n))):
		return "have the same tiles, and which one this is"
	case o == op.TileSplat:
		return "fill a tile with one value, and this value"
	}
	return "load and store one tile, and where that is in the matrix"
}

// why explains which condition makes an instruction divergent, and what that depends on.
func (d *divergence) why(i ir.Inst) []diag.Note {
	branch := d.u.Because(i)
	if branch == 0 {
		return nil
	}
	return d.depends(d.u.Condition(branch), d.f.SpanOf(branch), "this condition")
}

// depends explains which non-uniform value another one depends on. location is where it is used.
func (d *divergence) depends(v ir.Value, location source.Span, what string) []diag.Note {
	from := d.u.Source(v)
	made, ok := d.f.Def(v)
	for ok && d.f.Op(made) == op.Convert { // conversions have the span of their use
		made, ok = d.f.Def(d.f.Arg(made, 0))
	}
	if ok && !d.f.Op(made).Is(op.Control) {
		location = d.f.SpanOf(made)
	}
	text := what + " may differ between the items of " + d.all
	if origin := origin(d.m, d.f, from); origin != "" {
		text = what + " depends on " + origin
	}
	notes := []diag.Note{{Span: d.expressionSpan(location), Message: text}}
	if i, ok := d.f.Def(from); ok && d.f.Op(i) != op.Var && d.m.Sources.Position(d.f.SpanOf(i).Start).Line != d.m.Sources.Position(location.Start).Line {
		notes = append(notes, diag.Note{Span: d.expressionSpan(d.f.SpanOf(i)), Message: "which is read here"})
	}
	return notes
}

// expressionSpan returns the span of the expression whose go/ssa position is inside of it: a call's
// is its parenthesis, an operation's its operator, an index expression's its bracket.
func (l *loader) expressionSpan(point source.Span) source.Span {
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

// origin describes a value that is non-uniform by itself, or returns "".
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
	default:
		if s := subgroupFunctionOf(o); s != nil {
			return "what gpu." + s.name + " gives"
		}
	}
	return ""
}

// itemMethods are the methods of gpu.Item that return non-uniform builtin values.
var itemMethods = [ir.BuiltinCount]string{
	ir.GlobalInvocationID:   "it.Index() or it.Global()",
	ir.LocalInvocationID:    "it.Local()",
	ir.LocalInvocationIndex: "it.LocalIndex()",
	ir.SubgroupInvocationID: "it.SubgroupLane()",
	ir.SubgroupID:           "it.Subgroup()",
}
