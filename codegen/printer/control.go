package printer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes control flow. Results and parameters are variables (share.go); an exit
// assigns and breaks, a continue assigns and continues. The legaliser has made every exit
// one that leaves the innermost switch or loop. A scope is a switch with nothing but a
// default, unless nothing leaves it but its own last instruction: then it is nothing at all.

// construct is what is known of a control instruction.
type construct struct {
	exits, continues uint32 // how many instructions name it
	inlined          bool   // a scope that is written as nothing
	live             bool   // an exit was written
	early            bool   // a loop: a continue was written
}

// countExits counts the exits and continues of a block that will be written.
func (w *Printer) countExits(b ir.Block) {
	f := w.F
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Exit:
			w.controls[f.Target(i)].exits++
		case o == op.Continue:
			w.controls[f.Target(i)].continues++
		case o == op.If && f.Arg(i, 0).IsConst():
			w.countExits(w.chosenRegion(i))
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				w.countExits(ir.Block(inner))
			}
		}
	}
}

// chosenRegion returns the region of an if with a constant condition that is executed.
func (w *Printer) chosenRegion(i ir.Inst) ir.Block {
	return w.F.Region(i, 1-int(w.M.ConstBits(w.F.Arg(i, 0))))
}

// Block writes a block and reports whether control continues after the instruction that
// owns it.
func (w *Printer) Block(b ir.Block) bool { return w.from(w.F.First(b), 0) }

// from writes a block from one of its instructions on, up to another one or to its end.
func (w *Printer) from(i, end ir.Inst) bool {
	f := w.F
	for ; i != end; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Is(op.Control):
			if !w.control(i) {
				return false // what follows is never reached
			}
		case o.Is(op.Terminator):
			if span := f.SpanOf(i); span.Valid() {
				w.Span = span
			}
			goesOn := w.terminator(i)
			w.forget(f.BlockOf(i))
			return goesOn
		case o == op.ControlBarrier:
			i = w.Language.Barrier(i)
		default:
			w.Language.Instruction(i)
		}
	}
	return false
}

// forget drops what waits and was made in a block that ends: nothing uses it.
func (w *Printer) forget(b ir.Block) {
	kept := w.waiting[:0]
	for _, v := range w.waiting {
		if w.F.DefBlock(v) != b {
			kept = append(kept, v)
		}
	}
	w.waiting = kept
}

// nested writes a block in braces that its caller writes.
func (w *Printer) nested(b ir.Block) bool {
	mark := w.Names.Mark()
	w.Indent++
	goesOn := w.Block(b)
	w.Indent--
	w.Names.Close(mark)
	return goesOn
}

func (w *Printer) control(i ir.Inst) bool {
	f := w.F
	if span := f.SpanOf(i); span.Valid() {
		w.Span = span
	}
	tail := w.tail
	defer func() { w.tail = tail }()
	switch f.Op(i) {
	case op.If:
		condition := f.Arg(i, 0)
		if condition.IsConst() {
			return w.scope(i, w.chosenRegion(i))
		}
		x := w.Take(condition)
		w.Flush(Anything)
		w.results(i)
		w.tail = tail && w.controls[i].exits == 0
		return w.selection(i, x)
	case op.Switch:
		x := w.Take(f.Arg(i, 0))
		w.Flush(Anything)
		w.tail = false
		return w.choice(i, x)
	case op.Scope:
		return w.scope(i, f.Region(i, 0))
	}
	return w.loop(i)
}

// declareResults declares the variables of results that have none yet.
func (w *Printer) declareResults(i ir.Inst) {
	for _, r := range w.F.Results(i) {
		if w.Uses.Count[r] > 0 && w.Shared[r] == 0 {
			name := w.AssignVariable(r, "r")
			w.Line(w.Language.Variable(name, w.F.TypeOf(r), ""))
		}
	}
}

// trivial reports whether a block does nothing but leave its own instruction.
func (w *Printer) trivial(b ir.Block) bool {
	i := w.F.First(b)
	return w.F.Op(i) == op.Exit && w.F.Target(i) == w.F.Parent(b)
}

// settles reports whether the results may take the values of a branch that does nothing
// before the if: no variable is overwritten that the other branch reads.
func (w *Printer) settles(i ir.Inst, b ir.Block) bool {
	for n, r := range w.F.Results(i) {
		if w.Uses.Count[r] > 0 && w.Shared[r] != 0 && w.Shared[r] != r && !w.sharedBy(w.F.Arg(w.F.First(b), n), r) {
			return false
		}
	}
	return true
}

func (w *Printer) settle(i ir.Inst, b ir.Block) {
	w.controls[i].live = true
	for n, r := range w.F.Results(i) {
		if w.Uses.Count[r] == 0 {
			continue
		}
		x := w.Take(w.F.Arg(w.F.First(b), n))
		switch w.Shared[r] {
		case 0:
			name := w.AssignVariable(r, "r")
			w.lineFrom(x, w.Language.Variable(name, w.F.TypeOf(r), x.Text))
		case r: // of the instruction around
			w.carry(w.Exprs[r].Text, x)
		}
	}
}

// opposites are the comparisons of integers that hold where others do not, in pairs.
var opposites = [...]string{"<", ">=", "<=", ">", "==", "!="}

// negation writes what holds where a condition does not.
func (w *Printer) negation(v ir.Value, x Expr) Expr {
	d, ok := w.F.Def(v)
	if n := slices.Index(opposites[:], x.Operator); ok && n >= 0 && x.Level == Relational {
		opposite := opposites[n^1]
		equality := x.Operator == "==" || x.Operator == "!="
		// whose NaNs are neither
		if equality || !w.M.ScalarOf(w.F.TypeOf(w.F.Arg(d, 0))).IsFloat() {
			x.Text, x.Operator = x.Left+" "+opposite+" "+x.Right, opposite
			return x
		}
	}
	if x.Level == Unary && strings.HasPrefix(x.Text, "!") {
		x.Text, x.Level = x.Text[1:], Primary
		return x
	}
	return Prefix("!", x)
}

func (w *Printer) choice(i ir.Inst, selector Expr) bool {
	f := w.F
	w.results(i)
	w.declareResults(i)
	w.Line("switch ", w.Syntax.Open, selector.Text, w.Syntax.Close, " {")
	w.Indent++
	selectors := make([][]string, len(f.Blocks(i)))
	for k, target := range f.CaseTargets(i) {
		selectors[target] = append(selectors[target], w.Take(f.Arg(i, k+1)).Text)
	}
	for n, values := range selectors {
		if values == nil && n != f.DefaultCase(i) {
			continue
		}
		w.Line(w.Language.Case(values, n == f.DefaultCase(i)), " {")
		w.clause(f.Region(i, n))
	}
	w.Indent--
	w.Line("}")
	return w.controls[i].live
}

// clause writes a block of a switch with the brace after it.
func (w *Printer) clause(b ir.Block) {
	w.nested(b)
	if end := w.Syntax.CaseEnd; end != "" && !w.left() {
		w.Indent++
		w.Line(end)
		w.Indent--
	}
	w.Line("}")
}

// left reports whether the last line written leaves its block.
func (w *Printer) left() bool {
	line := bytes.TrimSuffix(w.Out, []byte("\n"))
	line = bytes.TrimLeft(line[bytes.LastIndexByte(line, '\n')+1:], " ")
	line, _, _ = bytes.Cut(line, []byte{positionMark})
	return bytes.Equal(line, []byte("break;")) || bytes.Equal(line, []byte("continue;")) || bytes.HasPrefix(line, []byte("return"))
}

// scope writes a control instruction of which one block runs.
func (w *Printer) scope(i ir.Inst, b ir.Block) bool {
	f := w.F
	c := &w.controls[i]
	last := f.Last(b)
	if f.Op(i) == op.If || c.exits == 0 || c.exits == 1 && f.Op(last) == op.Exit && f.Target(last) == i {
		c.inlined = true
		return w.Block(b)
	}
	w.Flush(Anything)
	w.results(i)
	w.declareResults(i)
	w.tail = false
	w.Line("switch ", w.Syntax.Open, w.Syntax.Zero, w.Syntax.Close, " {")
	w.Indent++
	w.Line(w.Language.Case(nil, true), " {")
	w.clause(b)
	w.Indent--
	w.Line("}")
	return c.live
}

// assignment is a variable and what it is to hold.
type assignment struct {
	variable ir.Value
	value    Expr
}

// transfer assigns values to the variables of others, as if all at once.
func (w *Printer) transfer(to, values []ir.Value) { w.perform(w.assignments(nil, to, values)) }

func (w *Printer) assignments(list []assignment, to, values []ir.Value) []assignment {
	for n, v := range to {
		if w.Uses.Count[v] == 0 || w.Shared[v] == 0 || w.sharedBy(values[n], v) {
			continue
		}
		list = append(list, assignment{w.Shared[v], w.Take(values[n])})
	}
	return list
}

// perform writes assignments in an order in which none overwrites what another reads; where
// there is none, values get names first.
func (w *Printer) perform(list []assignment) {
	for len(list) > 0 {
		next := 0
		for n := range list {
			if !readByOthers(list, n) {
				next = n
				break
			}
		}
		a := list[next]
		for n := range list {
			if n != next && list[n].value.names(a.variable) {
				list[n].value = w.Let(ir.NoValue, w.F.TypeOf(list[n].variable), list[n].value)
			}
		}
		w.carry(w.Exprs[a.variable].Text, a.value)
		list = append(list[:next], list[next+1:]...)
	}
}

func readByOthers(list []assignment, n int) bool {
	for k := range list {
		if k != n && list[k].value.names(list[n].variable) {
			return true
		}
	}
	return false
}

// names reports whether an expression names a variable.
func (x *Expr) names(variable ir.Value) bool {
	for _, v := range x.Vars {
		if v == variable {
			return true
		}
	}
	return false
}

// terminator writes a block's last instruction and reports whether control continues right
// behind the instruction that owns the block.
func (w *Printer) terminator(i ir.Inst) bool {
	f := w.F
	switch f.Op(i) {
	case op.Exit:
		return w.exit(i)
	case op.Continue:
		w.transfer(f.Params(f.Region(f.Target(i), 1)), f.Args(i))
		if !w.tail {
			w.Line("continue;")
			w.controls[f.Target(i)].early = true
		}
	case op.Return:
		switch {
		case len(f.Args(i)) > 0:
			w.Line("return ", w.Take(f.Arg(i, 0)).Text, ";")
		case f.BlockOf(i) != f.Entry:
			w.Line("return;")
		}
	case op.Unreachable:
		if f.ResultType != ir.Void && !isContinuing(f, f.BlockOf(i)) {
			w.Line("return ", w.Language.Constant(w.M.Zero(f.ResultType)).Text, ";")
		}
	}
	return false
}

// isContinuing reports whether a block is the continuing block of a loop, or is nested in one.
// Nothing returns from there (WGSL §9.4.3).
func isContinuing(f *ir.Func, b ir.Block) bool {
	for b != f.Entry {
		around := f.Parent(b)
		if f.Op(around) == op.Loop && f.Region(around, 1) == b {
			return true
		}
		b = f.BlockOf(around)
	}
	return false
}

func (w *Printer) exit(i ir.Inst) bool {
	f := w.F
	target := f.Target(i)
	c := &w.controls[target]
	if c.inlined {
		for n, r := range f.Results(target) {
			if w.Uses.Count[r] > 0 {
				w.rename(r, f.Arg(i, n))
			}
		}
		return true
	}
	w.transfer(f.Results(target), f.Args(i))
	c.live = true
	switch f.Op(target) {
	case op.If:
		return true
	case op.Loop:
		w.Line("break;")
	default:
		if f.Parent(f.BlockOf(i)) != target { // a clause ends by itself
			w.Line("break;")
		}
	}
	return false
}

// rename makes a result of what leaves a scope that is written as nothing.
func (w *Printer) rename(r, v ir.Value) {
	x := w.Take(v)
	if x.Level != Primary || x.Reads != ir.NoValue {
		w.Exprs[r] = w.Let(r, w.F.TypeOf(r), x)
		return
	}
	w.Exprs[r] = x
	if v.IsLocal() {
		w.Shared[r], w.alias[r] = w.Shared[v], v
	}
}
