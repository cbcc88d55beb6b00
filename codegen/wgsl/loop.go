package wgsl

import (
	"bytes"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes loops. One that begins with its only test is a while, and a for if its
// continuing block changes one parameter and does no more; the others are loop with continuing.

// loop writes a loop: as for or while if it begins with its only test and its variables
// allow it.
func (w *emitter) loop(i ir.Inst) bool {
	f := w.f
	body := f.Region(i, 0)
	initial := make([]expr, len(f.Params(body)))
	for n, p := range f.Params(body) {
		if w.uses.count[p] > 0 {
			initial[n] = w.take(f.Args(i)[n])
		}
	}
	w.flush(anything)
	w.loopVariables(i)
	test := w.firstTest(i)
	counter, counted := w.counter(i, test)
	w.declareResults(i)
	head, own := "", ""
	for n, p := range f.Params(body) {
		if w.uses.count[p] == 0 || w.shared[p] != p {
			continue
		}
		declaration := "var " + w.exprs[p].text + " = " + initial[n].text + ";"
		if counted && counter == n && !w.sharesResult(i, p) {
			head, own = declaration, w.exprs[p].text
		} else {
			w.line(declaration)
		}
	}
	start := len(w.out)
	w.tail = true
	w.indent++
	inner := w.names.mark()
	if whole := w.body(i, test, counter, counted, head, start); whole {
		own = "" // it is declared before the loop
	}
	w.indent--
	w.line("}")
	w.names.close(inner)
	if own != "" {
		w.names.drop(own)
	}
	if w.endless(i) && f.ResultType != ir.Void {
		w.line("return ", w.constant(w.m.Zero(f.ResultType)).text, ";")
	}
	return w.controls[i].live
}

// sharesResult reports whether a result of a loop lies in a variable.
func (w *emitter) sharesResult(i ir.Inst, p ir.Value) bool {
	for _, r := range w.f.Results(i) {
		if w.uses.count[r] > 0 && w.sharedBy(r, p) {
			return true
		}
	}
	return false
}

// firstTest returns the if that a loop's body begins with if one of its branches leaves the
// loop, with what is in the variables already, and the other goes on.
func (w *emitter) firstTest(i ir.Inst) ir.Inst {
	f := w.f
	at := f.First(f.Region(i, 0))
	for ; f.Op(at) != op.If; at = f.Next(at) {
		o := f.Op(at)
		if !removable(o) || o.Is(op.Convergent) || !(w.uses.dead[at] || o == op.Access || w.nests(at)) {
			return 0
		}
	}
	if f.Arg(at, 0).IsConst() {
		return 0
	}
	leaves, goesOn := w.leaving(at, i)
	if !leaves.found || !goesOn {
		return 0
	}
	for n, r := range f.Results(i) {
		if w.uses.count[r] > 0 && !w.sharedBy(f.Arg(leaves.exit, n), r) {
			return 0
		}
	}
	for _, r := range f.Results(at) {
		if w.uses.count[r] > 0 {
			return 0
		}
	}
	return at
}

// leavingBranch is the branch of an if that does nothing but leave a loop.
type leavingBranch struct {
	exit  ir.Inst
	then  bool
	found bool
}

// leaving finds the branch of an if that leaves a loop, and reports whether the other
// does nothing.
func (w *emitter) leaving(test, loop ir.Inst) (b leavingBranch, goesOn bool) {
	f := w.f
	for n := range 2 {
		exit := f.First(f.Region(test, n))
		if f.Op(exit) == op.Exit && f.Target(exit) == loop {
			return leavingBranch{exit, n == 0, true}, w.trivial(f.Region(test, 1-n))
		}
	}
	return leavingBranch{}, false
}

// counter returns which parameter is the only one that a loop's continuing block changes;
// counted is false if none or several are, or more than that happens there.
func (w *emitter) counter(i, test ir.Inst) (n int, counted bool) {
	f := w.f
	if test == 0 {
		return -1, false
	}
	n = -1
	if w.controls[i].continues == 0 {
		return n, false
	}
	continuing := f.Region(i, 1)
	for _, u := range f.Params(continuing) {
		if w.uses.count[u] > 0 && w.shared[u] == 0 {
			return n, false
		}
	}
	next := f.Last(continuing)
	if f.Op(next) != op.Next {
		return n, false
	}
	carried, condition, _ := f.NextArgs(next)
	if condition != ir.NoValue {
		return n, false
	}
	for at := f.First(continuing); at != next; at = f.Next(at) {
		if o := f.Op(at); !removable(o) || o.Is(op.Convergent) {
			return n, false
		}
	}
	for k, p := range f.Params(f.Region(i, 0)) {
		if w.uses.count[p] == 0 || w.sharedBy(carried[k], p) {
			continue
		}
		if n >= 0 {
			return -1, false
		}
		n = k
	}
	return n, n >= 0
}

// body writes a loop's head and what is in its braces. Start is where the head stands. It
// reports whether the loop became no for or while.
func (w *emitter) body(i, test ir.Inst, counter int, counted bool, head string, start int) (whole bool) {
	f := w.f
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	first := f.First(body)
	form := "loop {"
	var stays, leaves expr
	if test != 0 {
		for at := first; at != test; at = f.Next(at) {
			w.instruction(at)
		}
		first = f.Next(test)
		stays = w.take(f.Arg(test, 0))
		leaves = w.negation(f.Arg(test, 0), stays)
		if branch, _ := w.leaving(test, i); branch.then {
			stays, leaves = leaves, stays
		}
		if len(w.out) == start {
			form = w.formOf(i, counter, counted, head, stays, start)
		}
	}
	if form == "loop {" && w.endless(i) && w.unchanging(i) {
		form = "while true {"
	}
	whole = form == "loop {"
	if whole && head != "" { // it became no for
		form = head + "\n" + strings.Repeat("  ", w.indent-1) + form
	}
	w.insertLine(start, form)
	for _, u := range f.Params(continuing) {
		if w.uses.count[u] > 0 && w.shared[u] == 0 {
			name := w.own(u, "next")
			w.insertLine(-1, "  var "+name+": "+w.typeName(f.TypeOf(u))+";")
		}
	}
	if test != 0 {
		w.controls[i].live = true
		if whole {
			w.line("if ", leaves.text, " {")
			w.line("  break;")
			w.line("}")
		}
	}
	w.from(first)
	if whole {
		w.continuing(i, w.endless(i))
	}
	return whole
}

// insertLine writes a line of the outer block at a place before what is written, or at the end.
func (w *emitter) insertLine(at int, text string) {
	line := []byte(strings.Repeat("  ", w.indent-1) + text + "\n")
	if at < 0 {
		at = len(w.out)
	}
	w.out = append(w.out[:at], append(line, bytes.Clone(w.out[at:])...)...)
}

// formOf returns the head of a loop that begins with its test.
func (w *emitter) formOf(i ir.Inst, counter int, counted bool, head string, condition expr, start int) string {
	f := w.f
	if !counted {
		if counter < 0 && w.unchanging(i) {
			return "while " + condition.text + " {"
		}
		return "loop {"
	}
	continuing := f.Region(i, 1)
	waiting := len(w.waiting)
	next := f.Last(continuing)
	for at := f.First(continuing); at != next; at = f.Next(at) {
		w.instruction(at)
	}
	carried, _, _ := f.NextArgs(next)
	p := f.Params(f.Region(i, 0))[counter]
	x := w.take(carried[counter])
	mark := len(w.out)
	indent := w.indent
	w.indent = 0
	w.assign(w.exprs[p].text, x)
	w.indent = indent
	update := strings.TrimSuffix(string(w.out[mark:]), ";\n")
	w.out = w.out[:start]
	w.waiting = w.waiting[:min(waiting, len(w.waiting))]
	if mark != start { // something had to be written before
		return "loop {"
	}
	if head == "" {
		head = ";"
	}
	return "for (" + head + " " + condition.text + "; " + update + ") {"
}

// endless reports whether nothing leaves a loop but a return. WGSL wants to see an end.
func (w *emitter) endless(i ir.Inst) bool {
	f := w.f
	if w.controls[i].exits > 0 {
		return false
	}
	if next := f.Last(f.Region(i, 1)); f.Op(next) == op.Next {
		if _, condition, _ := f.NextArgs(next); condition != ir.NoValue {
			return false
		}
	}
	_, further := f.Leaves(i)
	return !further
}

// unchanging reports whether a loop's continuing block does nothing.
func (w *emitter) unchanging(i ir.Inst) bool {
	f := w.f
	continuing := f.Region(i, 1)
	next := f.Last(continuing)
	if w.controls[i].continues == 0 {
		return true
	}
	if f.Op(next) != op.Next {
		return false
	}
	for at := f.First(continuing); at != next; at = f.Next(at) {
		if !w.uses.dead[at] {
			return false
		}
	}
	carried, condition, _ := f.NextArgs(next)
	if condition != ir.NoValue {
		return false
	}
	for k, p := range f.Params(f.Region(i, 0)) {
		if w.uses.count[p] > 0 && !w.sharedBy(carried[k], p) {
			return false
		}
	}
	return true
}

// continuing writes the continuing block of a loop, if it does something, with an end that
// is never reached if it is to have one.
func (w *emitter) continuing(i ir.Inst, endless bool) {
	f := w.f
	start := len(w.out)
	w.line("continuing {")
	inside := len(w.out)
	w.indent++
	w.tail = false
	next := f.Last(f.Region(i, 1))
	at := f.First(f.Region(i, 1))
	mark := w.names.mark()
	if w.controls[i].continues == 0 {
		at = next
	}
	for ; at != next; at = f.Next(at) {
		switch o := f.Op(at); {
		case o.Is(op.Control):
			w.control(at)
		case o == op.ControlBarrier:
			at = w.barrier(at)
		default:
			w.instruction(at)
		}
	}
	if f.Op(next) == op.Next && w.controls[i].continues > 0 {
		w.repeat(i, next)
	}
	if endless {
		w.line("break if false;")
	}
	w.forget(f.Region(i, 1))
	w.names.close(mark)
	w.indent--
	if len(w.out) == inside {
		w.out = w.out[:start]
		return
	}
	w.line("}")
}

// repeat writes the end of a continuing block.
func (w *emitter) repeat(i, next ir.Inst) {
	f := w.f
	carried, condition, results := f.NextArgs(next)
	list := w.assignments(nil, f.Params(f.Region(i, 0)), carried)
	var leaves expr
	if condition != ir.NoValue {
		w.controls[i].live = true
		for n, r := range f.Results(i) {
			if w.uses.count[r] > 0 && w.shared[r] == r {
				list = append(list, assignment{r, w.take(results[n])})
			}
		}
		leaves = w.take(condition)
		named := leaves.reads != ir.NoValue
		for _, a := range list {
			named = named || leaves.names(a.variable)
		}
		if named {
			leaves = w.let(condition, leaves)
		}
	}
	w.perform(list)
	if condition != ir.NoValue {
		w.line("break if ", leaves.text, ";")
	}
}
