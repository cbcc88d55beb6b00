package wgsl

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
		if f.ResultType != ir.Void {
			w.line("return ", w.constant(w.m.Zero(f.ResultType)).text, ";")
		}
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
