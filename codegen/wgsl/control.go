package wgsl

import (
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
}

// countExits counts the exits and continues of a block that will be written.
func (w *emitter) countExits(b ir.Block) {
	f := w.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Exit:
			w.controls[f.Target(i)].exits++
		case o == op.Continue:
			w.controls[f.Target(i)].continues++
		case o == op.If && f.Arg(i, 0).IsConst():
			w.countExits(w.known(i))
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				w.countExits(ir.Block(inner))
			}
		}
	}
}

// known returns the block of an if that runs, its condition being constant.
func (w *emitter) known(i ir.Inst) ir.Block {
	return w.f.Region(i, 1-int(w.m.ConstBits(w.f.Arg(i, 0))))
}

// block writes a block and reports whether control goes on behind the instruction that
// owns it.
func (w *emitter) block(b ir.Block) bool { return w.from(w.f.First(b)) }

// from writes a block from one of its instructions on.
func (w *emitter) from(i ir.Inst) bool {
	f := w.f
	for ; i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Is(op.Control):
			if !w.control(i) {
				return false // what follows is never reached
			}
		case o.Is(op.Terminator):
			goesOn := w.terminator(i)
			w.forget(f.BlockOf(i))
			return goesOn
		case o == op.ControlBarrier:
			i = w.barrier(i)
		default:
			w.instruction(i)
		}
	}
	return false
}

// forget drops what waits and was made in a block that ends: nothing uses it.
func (w *emitter) forget(b ir.Block) {
	kept := w.waiting[:0]
	for _, v := range w.waiting {
		if w.f.DefBlock(v) != b {
			kept = append(kept, v)
		}
	}
	w.waiting = kept
}

// nested writes a block in braces that its caller writes.
func (w *emitter) nested(b ir.Block) bool {
	mark := w.names.mark()
	w.indent++
	goesOn := w.block(b)
	w.indent--
	w.names.close(mark)
	return goesOn
}

func (w *emitter) control(i ir.Inst) bool {
	f := w.f
	if span := f.SpanOf(i); span.Valid() {
		w.span = span
	}
	tail := w.tail
	defer func() { w.tail = tail }()
	switch f.Op(i) {
	case op.If:
		condition := f.Arg(i, 0)
		if condition.IsConst() {
			return w.scope(i, w.known(i))
		}
		x := w.take(condition)
		w.flush(anything)
		w.tail = tail && w.controls[i].exits == 0
		return w.selection(i, x)
	case op.Switch:
		x := w.take(f.Arg(i, 0))
		w.flush(anything)
		w.tail = false
		return w.choice(i, x)
	case op.Scope:
		return w.scope(i, f.Region(i, 0))
	}
	return w.loop(i)
}

// declareResults declares the variables of results that have none yet.
func (w *emitter) declareResults(i ir.Inst) {
	for _, r := range w.f.Results(i) {
		if w.uses.count[r] > 0 && w.shared[r] == 0 {
			name := w.own(r, "r")
			w.line("var ", name, ": ", w.typeName(w.f.TypeOf(r)), ";")
		}
	}
}

// trivial reports whether a block does nothing but leave its own instruction.
func (w *emitter) trivial(b ir.Block) bool {
	i := w.f.First(b)
	return w.f.Op(i) == op.Exit && w.f.Target(i) == w.f.Parent(b)
}

// selection writes an if. A branch that does nothing but leave gives the variables their
// values before.
func (w *emitter) selection(i ir.Inst, condition expr) bool {
	f := w.f
	c := &w.controls[i]
	w.results(i)
	then, other := f.Region(i, 0), f.Region(i, 1)
	switch {
	case w.trivial(other) && w.settles(i, other):
		w.settle(i, other)
		other = 0
	case w.trivial(then) && w.settles(i, then):
		w.settle(i, then)
		then, other = other, 0
		condition = w.negation(f.Arg(i, 0), condition)
	default:
		w.declareResults(i)
	}
	w.line("if ", condition.text, " {")
	if w.nested(then) {
		c.live = true
	}
	if other != 0 {
		start := len(w.out)
		if w.nested(other) {
			c.live = true
		}
		w.elseBranch(start)
	}
	w.line("}")
	return c.live
}

// settles reports whether the results may take the values of a branch that does nothing
// before the if: no variable is overwritten that the other branch reads.
func (w *emitter) settles(i ir.Inst, b ir.Block) bool {
	for n, r := range w.f.Results(i) {
		if w.uses.count[r] > 0 && w.shared[r] != 0 && w.shared[r] != r && !w.sharedBy(w.f.Arg(w.f.First(b), n), r) {
			return false
		}
	}
	return true
}

func (w *emitter) settle(i ir.Inst, b ir.Block) {
	w.controls[i].live = true
	for n, r := range w.f.Results(i) {
		if w.uses.count[r] == 0 {
			continue
		}
		x := w.take(w.f.Arg(w.f.First(b), n))
		switch w.shared[r] {
		case 0:
			name := w.own(r, "r")
			w.line("var ", name, " = ", x.text, ";")
		case r: // of the instruction around
			w.assign(w.exprs[r].text, x)
		}
	}
}

// elseBranch puts else before the statements written since a place: else if, where they are
// one if.
func (w *emitter) elseBranch(start int) {
	branch := string(w.out[start:])
	w.out = w.out[:start]
	if branch == "" {
		return
	}
	margin := strings.Repeat("  ", w.indent+1)
	lines := strings.SplitAfter(branch, "\n")
	lines = lines[:len(lines)-1]
	single := strings.HasPrefix(branch, margin+"if ")
	for n, line := range lines {
		inner := strings.HasPrefix(line, margin+" ")
		single = single && (inner || n == 0 || n == len(lines)-1 || strings.HasPrefix(line, margin+"} else"))
	}
	if !single || lines[len(lines)-1] != margin+"}\n" {
		w.line("} else {")
		w.out = append(w.out, branch...)
		return
	}
	w.line("} else ", strings.TrimSuffix(lines[0][len(margin):], "\n"))
	for _, line := range lines[1 : len(lines)-1] {
		w.out = append(w.out, line[2:]...)
	}
}

// opposites are the comparisons of integers that hold where others do not, in pairs.
var opposites = [...]string{"<", ">=", "<=", ">", "==", "!="}

// negation writes what holds where a condition does not.
func (w *emitter) negation(v ir.Value, x expr) expr {
	d, ok := w.f.Def(v)
	if n := slices.Index(opposites[:], x.operator); ok && n >= 0 && x.level == relational {
		opposite := opposites[n^1]
		equality := x.operator == "==" || x.operator == "!="
		if equality || !w.m.ScalarOf(w.f.TypeOf(w.f.Arg(d, 0))).IsFloat() { // whose NaNs are neither
			x.text, x.operator = x.left+" "+opposite+" "+x.right, opposite
			return x
		}
	}
	if x.level == unary && strings.HasPrefix(x.text, "!") {
		x.text, x.level = x.text[1:], primary
		return x
	}
	return prefix("!", x)
}

func (w *emitter) choice(i ir.Inst, selector expr) bool {
	f := w.f
	w.results(i)
	w.declareResults(i)
	w.line("switch ", selector.text, " {")
	w.indent++
	for n := range f.Blocks(i) {
		var values []string
		for k, target := range f.CaseTargets(i) {
			if int(target) == n {
				values = append(values, w.take(f.Arg(i, k+1)).text)
			}
		}
		head := "case " + strings.Join(values, ", ")
		switch {
		case n == f.DefaultCase(i) && values == nil:
			head = "default"
		case n == f.DefaultCase(i):
			head += ", default"
		case values == nil:
			continue
		}
		w.line(head, " {")
		w.nested(f.Region(i, n))
		w.line("}")
	}
	w.indent--
	w.line("}")
	return w.controls[i].live
}

// scope writes a control instruction of which one block runs.
func (w *emitter) scope(i ir.Inst, b ir.Block) bool {
	f := w.f
	c := &w.controls[i]
	last := f.Last(b)
	if f.Op(i) == op.If || c.exits == 0 || c.exits == 1 && f.Op(last) == op.Exit && f.Target(last) == i {
		c.inlined = true
		return w.block(b)
	}
	w.flush(anything)
	w.results(i)
	w.declareResults(i)
	w.tail = false
	w.line("switch 0 {")
	w.indent++
	w.line("default {")
	w.nested(b)
	w.line("}")
	w.indent--
	w.line("}")
	return c.live
}

// assignment is a variable and what it is to hold.
type assignment struct {
	variable ir.Value
	value    expr
}

// transfer assigns values to the variables of others, as if all at once.
func (w *emitter) transfer(to, values []ir.Value) { w.perform(w.assignments(nil, to, values)) }

func (w *emitter) assignments(list []assignment, to, values []ir.Value) []assignment {
	for n, v := range to {
		if w.uses.count[v] == 0 || w.shared[v] == 0 || w.sharedBy(values[n], v) {
			continue
		}
		list = append(list, assignment{w.shared[v], w.take(values[n])})
	}
	return list
}

// perform writes assignments in an order in which none overwrites what another reads; where
// there is none, values get names first.
func (w *emitter) perform(list []assignment) {
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
				list[n].value = w.let(ir.NoValue, list[n].value)
			}
		}
		w.assign(w.exprs[a.variable].text, a.value)
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
func (x *expr) names(variable ir.Value) bool {
	for _, v := range x.vars {
		if v == variable {
			return true
		}
	}
	return false
}

// terminator writes a block's last instruction and reports whether control goes on right
// behind the instruction that owns the block.
func (w *emitter) terminator(i ir.Inst) bool {
	f := w.f
	switch f.Op(i) {
	case op.Exit:
		return w.exit(i)
	case op.Continue:
		w.transfer(f.Params(f.Region(f.Target(i), 1)), f.Args(i))
		if !w.tail {
			w.line("continue;")
		}
	case op.Return:
		switch {
		case len(f.Args(i)) > 0:
			w.line("return ", w.take(f.Arg(i, 0)).text, ";")
		case f.BlockOf(i) != f.Entry:
			w.line("return;")
		}
	case op.Unreachable:
		if f.ResultType != ir.Void && !isContinuing(f, f.BlockOf(i)) {
			w.line("return ", w.constant(w.m.Zero(f.ResultType)).text, ";")
		}
	}
	return false
}

// isContinuing reports whether a block is one that a loop continues in, or stands in one: nothing
// returns from there (WGSL §9.4.3).
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

func (w *emitter) exit(i ir.Inst) bool {
	f := w.f
	target := f.Target(i)
	c := &w.controls[target]
	if c.inlined {
		for n, r := range f.Results(target) {
			if w.uses.count[r] > 0 {
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
		w.line("break;")
	default:
		if f.Parent(f.BlockOf(i)) != target { // a clause ends by itself
			w.line("break;")
		}
	}
	return false
}

// rename makes a result of what leaves a scope that is written as nothing.
func (w *emitter) rename(r, v ir.Value) {
	x := w.take(v)
	if x.level != primary || x.reads != ir.NoValue {
		w.exprs[r] = w.let(r, x)
		return
	}
	w.exprs[r] = x
	if v.IsLocal() {
		w.shared[r], w.alias[r] = w.shared[v], v
	}
}
