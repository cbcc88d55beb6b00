package printer

import (
	"bytes"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes loops. A loop that begins with its only test is a while. It is a for if its
// continuing block changes one parameter and does no more. The others are loops without a head.

// loop writes a loop: as for or while if it begins with its only test and its variables
// allow it.
func (w *Printer) loop(i ir.Inst) bool {
	f := w.F
	body := f.Region(i, 0)
	initial := make([]Expr, len(f.Params(body)))
	for n, p := range f.Params(body) {
		if w.Uses.Count[p] > 0 {
			initial[n] = w.Take(f.Args(i)[n])
		}
	}
	w.Flush(Anything)
	w.loopVariables(i)
	test := w.firstTest(i)
	counter, counted := w.counter(i, test)
	w.declareResults(i)
	head, own := "", ""
	for n, p := range f.Params(body) {
		if w.Uses.Count[p] == 0 || w.Shared[p] != p {
			continue
		}
		declaration := w.Language.Variable(w.Exprs[p].Text, f.TypeOf(p), initial[n].Text)
		if counted && counter == n && !w.sharesResult(i, p) {
			head, own = declaration, w.Exprs[p].Text
		} else {
			w.lineFrom(initial[n], declaration)
		}
	}
	if w.Syntax.DeclareOutside {
		w.declareContinuingParameters(i)
	}
	start := len(w.Out)
	w.tail = true
	w.Indent++
	inner := w.Names.Mark()
	if whole := w.body(i, test, counter, counted, head, start); whole {
		own = "" // it is declared before the loop
	}
	w.Indent--
	w.Line("}")
	w.Names.Close(inner)
	if own != "" {
		w.Names.Drop(own)
	}
	if w.endless(i) && f.ResultType != ir.Void {
		w.Line("return ", w.Language.Constant(w.M.Zero(f.ResultType)).Text, ";")
	}
	return w.controls[i].live
}

// sharesResult reports whether a result of a loop lies in a variable.
func (w *Printer) sharesResult(i ir.Inst, p ir.Value) bool {
	for _, r := range w.F.Results(i) {
		if w.Uses.Count[r] > 0 && w.sharedBy(r, p) {
			return true
		}
	}
	return false
}

// firstTest returns the if at the beginning of a loop's body that makes it a while loop, or 0. One
// branch exits the loop with values that the variables of its results already hold, and the other
// is empty.
func (w *Printer) firstTest(i ir.Inst) ir.Inst {
	f := w.F
	at := f.First(f.Region(i, 0))
	for ; f.Op(at) != op.If; at = f.Next(at) {
		o := f.Op(at)
		if !Removable(o) || o.Is(op.Convergent) || !(w.Uses.Dead[at] || o == op.Access || w.Nests(at)) {
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
		if w.Uses.Count[r] > 0 && !w.sharedBy(f.Arg(leaves.exit, n), r) {
			return 0
		}
	}
	for _, r := range f.Results(at) {
		if w.Uses.Count[r] > 0 {
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

// leaving finds the branch of an if that leaves a loop, and reports whether the other one is empty.
func (w *Printer) leaving(test, loop ir.Inst) (b leavingBranch, goesOn bool) {
	f := w.F
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
func (w *Printer) counter(i, test ir.Inst) (n int, counted bool) {
	f := w.F
	if test == 0 {
		return -1, false
	}
	n = -1
	if w.controls[i].continues == 0 {
		return n, false
	}
	continuing := f.Region(i, 1)
	for _, u := range f.Params(continuing) {
		if w.Uses.Count[u] > 0 && w.Shared[u] == 0 {
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
		if o := f.Op(at); !Removable(o) || o.Is(op.Convergent) {
			return n, false
		}
	}
	for k, p := range f.Params(f.Region(i, 0)) {
		if w.Uses.Count[p] == 0 || w.sharedBy(carried[k], p) {
			continue
		}
		if n >= 0 {
			return -1, false
		}
		n = k
	}
	return n, n >= 0
}

// body writes a loop's head and what is in its braces. Start is the offset of the head. It reports
// whether the loop became no for or while.
func (w *Printer) body(i, test ir.Inst, counter int, counted bool, head string, start int) (whole bool) {
	f := w.F
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	first := f.First(body)
	form := ""
	var stays, leaves Expr
	if test != 0 {
		for at := first; at != test; at = f.Next(at) {
			w.Language.Instruction(at)
		}
		first = f.Next(test)
		stays = w.Take(f.Arg(test, 0))
		leaves = w.negation(f.Arg(test, 0), stays)
		if branch, _ := w.leaving(test, i); branch.then {
			stays, leaves = leaves, stays
		}
		if len(w.Out) == start {
			form = w.formOf(i, counter, counted, head, stays, start)
		}
	}
	bounded := strings.HasPrefix(form, "for ") && w.bounded(i, counter, &stays)
	if form == "" && w.endless(i) && w.unchanging(i) {
		form = "while " + w.Syntax.Open + w.Syntax.True + w.Syntax.Close + " {"
	}
	whole = form == ""
	if whole {
		form = w.Syntax.Endless
		if head != "" { // it became no for
			form = head + "\n" + strings.Repeat("  ", w.Indent-1) + form
		}
	}
	if span := f.SpanOf(i); span.Valid() {
		w.Span = span
	}
	length := len(w.Out)
	w.insertLine(start, form)
	inside := start + len(w.Out) - length
	if stop := w.Language.Test(); stop != "" && !bounded {
		length = len(w.Out)
		w.insertLine(inside, "  "+stop)
		inside += len(w.Out) - length
	}
	if !w.Syntax.DeclareOutside {
		w.declareContinuingParameters(i)
	}
	if test != 0 {
		w.controls[i].live = true
		if whole {
			w.Line("if ", w.Syntax.Open, leaves.Text, w.Syntax.Close, " {")
			w.Line("  break;")
			w.Line("}")
		}
	}
	w.from(first, 0)
	if whole {
		w.continuing(i, continuing, start, inside)
	}
	return whole
}

// bounded reports whether a loop with a counter ends for certain. The counter steps by one, and the
// test is a strict order between it and what the loop does not change, so that some value fails it.
func (w *Printer) bounded(i ir.Inst, counter int, test *Expr) bool {
	f := w.F
	p := f.Params(f.Region(i, 0))[counter]
	if test.Operator != "<" && test.Operator != ">" || test.Reads != ir.NoValue || w.M.ScalarOf(f.TypeOf(p)).IsFloat() {
		return false
	}
	for _, v := range test.Vars {
		if v != w.Shared[p] {
			return false
		}
	}
	if test.Left != w.Exprs[p].Text && test.Right != w.Exprs[p].Text {
		return false
	}
	carried, _, _ := f.NextArgs(f.Last(f.Region(i, 1)))
	d, ok := f.Def(carried[counter])
	if !ok || f.Op(d) != op.Add && f.Op(d) != op.Sub {
		return false
	}
	x, step := f.Arg(d, 0), f.Arg(d, 1)
	if x.IsConst() {
		x, step = step, x
	}
	return x.IsLocal() && w.Shared[x] == w.Shared[p] && step.IsConst() && (w.M.ConstBits(step) == 1 || w.M.ConstBits(step) == w.M.ScalarOf(f.TypeOf(p)).Mask())
}

// declareContinuingParameters declares the variables of the parameters of a loop's continuing
// block.
func (w *Printer) declareContinuingParameters(i ir.Inst) {
	f := w.F
	for _, u := range f.Params(f.Region(i, 1)) {
		if w.Uses.Count[u] > 0 && w.Shared[u] == 0 {
			name := w.AssignVariable(u, "next")
			w.Line(w.Language.Variable(name, f.TypeOf(u), ""))
		}
	}
}

// insertLine inserts a line of the outer block at an offset of the text, or at the end.
func (w *Printer) insertLine(at int, text string) {
	line := append(w.withPosition([]byte(strings.Repeat("  ", w.Indent-1)+text), w.Indent-1), '\n')
	if at < 0 {
		at = len(w.Out)
	}
	w.Out = append(w.Out[:at], append(line, bytes.Clone(w.Out[at:])...)...)
}

// formOf returns the head of a loop that begins with its test, or "" if it is neither while nor
// for.
func (w *Printer) formOf(i ir.Inst, counter int, counted bool, head string, condition Expr, start int) string {
	f := w.F
	if !counted {
		if counter < 0 && w.unchanging(i) {
			return "while " + w.Syntax.Open + condition.Text + w.Syntax.Close + " {"
		}
		return ""
	}
	continuing := f.Region(i, 1)
	waiting := len(w.waiting)
	next := f.Last(continuing)
	for at := f.First(continuing); at != next; at = f.Next(at) {
		w.Language.Instruction(at)
	}
	carried, _, _ := f.NextArgs(next)
	p := f.Params(f.Region(i, 0))[counter]
	x := w.Take(carried[counter])
	mark := len(w.Out)
	indent, remark := w.Indent, w.Mark
	w.Indent, w.Mark = 0, "" // and so without a source position
	w.Assign(w.Exprs[p].Text, x)
	w.Indent, w.Mark = indent, remark
	update := strings.TrimSuffix(string(w.Out[mark:]), ";\n")
	w.Out = w.Out[:start]
	w.waiting = w.waiting[:min(waiting, len(w.waiting))]
	if mark != start { // something had to be written before
		return ""
	}
	if head == "" {
		head = ";"
	}
	return "for (" + head + " " + condition.Text + "; " + update + ") {"
}

// endless reports whether nothing leaves a loop but a return. WGSL wants to see an end.
func (w *Printer) endless(i ir.Inst) bool {
	f := w.F
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
func (w *Printer) unchanging(i ir.Inst) bool {
	f := w.F
	continuing := f.Region(i, 1)
	next := f.Last(continuing)
	if w.controls[i].continues == 0 {
		return true
	}
	if f.Op(next) != op.Next {
		return false
	}
	for at := f.First(continuing); at != next; at = f.Next(at) {
		if !w.Uses.Dead[at] {
			return false
		}
	}
	carried, condition, _ := f.NextArgs(next)
	if condition != ir.NoValue {
		return false
	}
	for k, p := range f.Params(f.Region(i, 0)) {
		if w.Uses.Count[p] > 0 && !w.sharedBy(carried[k], p) {
			return false
		}
	}
	return true
}

// continuing writes the continuing block of a loop, if it does something. An endless loop gets an
// exit there that is never taken. The loop is at offset start, and what is in its braces at inside.
func (w *Printer) continuing(i ir.Inst, b ir.Block, start, inside int) {
	head := len(w.Out)
	own := w.Syntax.Continuing
	if own {
		w.Line("continuing {")
	}
	from := len(w.Out)
	gated := !own && w.controls[i].early
	if gated {
		w.Indent++
	}
	if own {
		w.Indent++
	}
	w.tail = false
	mark := w.Names.Mark()
	w.writeContinuing(i, b)
	if own && w.endless(i) {
		w.Line("break if false;")
	}
	w.forget(b)
	w.Names.Close(mark)
	if own || gated {
		w.Indent--
	}
	switch {
	case len(w.Out) == from:
		w.Out = w.Out[:head]
	case own:
		w.Line("}")
	case gated:
		w.gate(start, inside, from)
	}
}

// gate moves the text from an offset on to the beginning of a loop. All iterations but the first
// execute it there.
func (w *Printer) gate(start, inside, from int) {
	moved := bytes.Clone(w.Out[from:])
	rest := bytes.Clone(w.Out[inside:from])
	name := w.Names.Always("again")
	w.Out = w.Out[:inside]
	w.Line("if ", w.Syntax.Open, name, w.Syntax.Close, " {")
	w.Out = append(w.Out, moved...)
	w.Line("}")
	w.Line(name, " = ", w.Syntax.True, ";")
	w.Out = append(w.Out, rest...)
	w.insertLine(start, w.Language.Variable(name, ir.Bool, "false"))
}

// writeContinuing writes a continuing block.
func (w *Printer) writeContinuing(i ir.Inst, b ir.Block) {
	f := w.F
	next := f.Last(b)
	at := f.First(b)
	if w.controls[i].continues == 0 {
		at = next
	}
	for ; at != next; at = f.Next(at) {
		switch o := f.Op(at); {
		case o.Is(op.Control):
			w.control(at)
		case o == op.ControlBarrier:
			at = w.Language.Barrier(at)
		default:
			w.Language.Instruction(at)
		}
	}
	if f.Op(next) == op.Next && w.controls[i].continues > 0 {
		w.repeat(i, next)
	}
}

// repeat writes the end of a continuing block.
func (w *Printer) repeat(i, next ir.Inst) {
	f := w.F
	carried, condition, results := f.NextArgs(next)
	list := w.assignments(nil, f.Params(f.Region(i, 0)), carried)
	var leaves Expr
	if condition != ir.NoValue {
		w.controls[i].live = true
		for n, r := range f.Results(i) {
			if w.Uses.Count[r] > 0 && w.Shared[r] == r {
				list = append(list, assignment{r, w.Take(results[n])})
			}
		}
		leaves = w.Take(condition)
		named := leaves.Reads != ir.NoValue
		for _, a := range list {
			named = named || leaves.names(a.variable)
		}
		if named {
			leaves = w.Let(condition, f.TypeOf(condition), leaves)
		}
	}
	w.perform(list)
	switch {
	case condition == ir.NoValue:
	case w.Syntax.Continuing:
		w.Line("break if ", leaves.Text, ";")
	default:
		w.Line("if ", w.Syntax.Open, leaves.Text, w.Syntax.Close, " {")
		w.Line("  break;")
		w.Line("}")
	}
}
