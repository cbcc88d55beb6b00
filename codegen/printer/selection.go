package printer

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes ifs. An else branch that is only another if continues the chain (else if), so
// that long chains are not nested. Readers of WGSL and compilers of Metal limit the depth of
// blocks.

// selection writes an if, whose results have the variables that others share with them. A branch
// that does nothing but leave gives the variables their values before, unless the other one goes on
// with a chain.
func (w *Printer) selection(i ir.Inst, condition Expr) bool {
	f := w.F
	then, other := f.Region(i, 0), f.Region(i, 1)
	switch {
	case w.trivial(other) && w.settles(i, other):
		w.settle(i, other)
		other = 0
	case w.trivial(then) && w.settles(i, then) && !w.isElseIfChain(i):
		w.settle(i, then)
		then, other = other, 0
		condition = w.negation(f.Arg(i, 0), condition)
	default:
		w.declareResults(i)
	}
	rest := w.restVariable(i, other)
	w.Line("if ", w.Syntax.Open, condition.Text, w.Syntax.Close, " {")
	chain := []ir.Inst{i} // each is alone in the else branch of the one before
	for {
		last := chain[len(chain)-1]
		if w.nested(then) {
			w.controls[last].live = true
		}
		if other == 0 {
			break
		}
		next, condition := w.otherwise(last, other)
		if next == 0 {
			break
		}
		chain = append(chain, next)
		then, other = f.Region(next, 0), f.Region(next, 1)
		switch {
		case w.silent(next, other):
			w.controls[next].live = true
			other = 0
		case w.silent(next, then) && !w.isLink(next):
			w.controls[next].live = true
			then, other = other, 0
			condition = w.negation(f.Arg(next, 0), condition)
		}
		if rest != "" && (len(chain)-1)%longestChain == 0 {
			w.remainder(rest, len(chain) > longestChain+1)
			w.Line("if ", w.Syntax.Open, condition.Text, w.Syntax.Close, " {")
		} else {
			w.Line("} else if ", w.Syntax.Open, condition.Text, w.Syntax.Close, " {")
		}
	}
	w.Line("}")
	if rest != "" && len(chain) > longestChain {
		w.Indent--
		w.Line("}")
	}
	for n := len(chain) - 1; n > 0; n-- {
		if w.controls[chain[n]].live && w.terminator(f.Last(f.BlockOf(chain[n]))) {
			w.controls[chain[n-1]].live = true
		}
	}
	if goesOn := w.controls[i].live; !goesOn && rest != "" && w.F.ResultType != ir.Void && !isContinuing(f, f.BlockOf(i)) {
		// One of the parts has left, which no reader sees.
		w.Line("return ", w.Language.Constant(w.M.Zero(f.ResultType)).Text, ";")
	}
	return w.controls[i].live
}

// longestChain is how many links of a chain of ifs are written as one. Tint counts each as a level
// of nesting, of which it takes 127; compilers of C++ nest them as well.
const longestChain = 40

// restVariable declares the variable that says whether no link of a part of a chain has run, and
// returns its name, or "" for chains that are written as one.
func (w *Printer) restVariable(i ir.Inst, other ir.Block) string {
	f := w.F
	for n := 0; ; n++ {
		if other == 0 || other != f.Region(i, 1) || !w.isLink(i) {
			return ""
		}
		if n == longestChain {
			break
		}
		i = f.Prev(f.Last(other))
		other = f.Region(i, 1)
	}
	name := w.Names.Name("rest")
	w.Line(w.Language.Variable(name, ir.Bool, "false"))
	return name
}

// remainder ends a part of a chain, and begins the next, which runs if no link did.
func (w *Printer) remainder(rest string, inner bool) {
	w.Line("} else {")
	w.Indent++
	w.Line(rest, " = ", w.Syntax.True, ";")
	w.Indent--
	w.Line("}")
	if inner {
		w.Indent--
		w.Line("}")
	}
	w.Line("if ", w.Syntax.Open, rest, w.Syntax.Close, " {")
	w.Indent++
	w.Line(rest, " = false;")
}

// otherwise writes the else branch of an if, without the brace after it. Where the branch is
// nothing but another if, it writes nothing, and returns that if and its condition.
func (w *Printer) otherwise(i ir.Inst, b ir.Block) (next ir.Inst, condition Expr) {
	f := w.F
	before := len(w.Out)
	w.Line("} else {")
	start := len(w.Out)
	mark := w.Names.Mark()
	w.Indent++
	goesOn := false
	if w.isLink(i) {
		inner := f.Prev(f.Last(b))
		w.from(f.First(b), inner)
		if span := f.SpanOf(inner); span.Valid() {
			w.Span = span
		}
		condition = w.Take(f.Arg(inner, 0))
		w.Flush(Anything)
		w.results(inner)
		tail := w.tail
		w.tail = tail && w.controls[inner].exits == 0
		if len(w.Out) == start && w.carries(i, inner) {
			w.Indent--
			w.Out = w.Out[:before]
			return inner, condition
		}
		goesOn = w.selection(inner, condition)
		w.tail = tail
		if goesOn {
			goesOn = w.terminator(f.Last(b))
		}
		w.forget(b)
	} else {
		goesOn = w.Block(b)
	}
	if w.Indent--; len(w.Out) == start {
		w.Out = w.Out[:before]
	}
	w.Names.Close(mark)
	if goesOn {
		w.controls[i].live = true
	}
	return 0, Expr{}
}

// isLink reports whether the else branch of an if ends with another if. What comes before may have
// to be written, or may be nested into the condition.
func (w *Printer) isLink(i ir.Inst) bool {
	f := w.F
	b := f.Region(i, 1)
	last := f.Last(b)
	inner := f.Prev(last)
	if inner == 0 || f.Op(inner) != op.If || f.Arg(inner, 0).IsConst() {
		return false
	}
	for at := f.First(b); at != inner; at = f.Next(at) {
		if !Removable(f.Op(at)) && !w.conditionCall(at) {
			return false
		}
	}
	return f.Op(last) == op.Exit && f.Target(last) == i || w.controls[inner].exits == 0
}

// conditionCall reports whether a call is a part of the condition of an if that is all of an else
// branch. Nothing between the two reads memory or changes it, so that the call may be in the
// condition.
func (w *Printer) conditionCall(i ir.Inst) bool {
	f := w.F
	r := f.Result(i)
	if f.Op(i) != op.Call || r == ir.NoValue || w.Uses.Count[r] != 1 || f.ValueName(r) != "" {
		return false
	}
	b := f.BlockOf(i)
	if b == f.Entry || f.Op(f.Parent(b)) != op.If || f.Region(f.Parent(b), 1) != b {
		return false
	}
	inner := f.Prev(f.Last(b))
	at := f.Next(i)
	for ; at != 0 && at != inner; at = f.Next(at) {
		if !Removable(f.Op(at)) || f.Op(at).Reads() || !w.Uses.Dead[at] && !w.Nests(at) {
			return false
		}
	}
	return at == inner && f.Op(inner) == op.If
}

// Called gives the result of a call its text: the call, as a part of a condition, or a name.
func (w *Printer) Called(i ir.Inst, call Expr) {
	w.Flush(Anything)
	f, r := w.F, w.F.Result(i)
	switch {
	case r == ir.NoValue || w.Uses.Count[r] == 0:
		w.Line(call.Text, ";")
	case w.conditionCall(i) && len(call.Text) <= MaxWidth:
		call.Reads, call.Span = Anything, f.SpanOf(i)
		w.Exprs[r] = call
		w.waiting = append(w.waiting, r)
	default:
		w.Exprs[r] = w.Let(r, f.Type(i), call)
	}
}

// carries reports whether all results of an if in the else branch of another lie in variables that
// are declared, and nothing is to be written after it.
func (w *Printer) carries(i, inner ir.Inst) bool {
	f := w.F
	for _, r := range f.Results(inner) {
		if w.Uses.Count[r] > 0 && w.Shared[r] == 0 {
			return false
		}
	}
	if w.controls[inner].exits == 0 {
		return true
	}
	for n, r := range f.Results(i) {
		if w.Uses.Count[r] > 0 && !w.sharedBy(f.Arg(f.Last(f.BlockOf(inner)), n), r) {
			return false
		}
	}
	return true
}

// isElseIfChain reports whether an if and those in its else branches form a chain of at least
// three, as far as that is known before it is written.
func (w *Printer) isElseIfChain(i ir.Inst) bool {
	f := w.F
	for range 2 {
		if !w.isLink(i) {
			return false
		}
		b := f.Region(i, 1)
		inner := f.Prev(f.Last(b))
		for at := f.First(b); at != inner; at = f.Next(at) {
			if !w.Uses.Dead[at] && !w.Nests(at) && !w.conditionCall(at) {
				return false
			}
		}
		if w.controls[inner].exits > 0 {
			for n, r := range f.Results(i) {
				if x := f.Arg(f.Last(b), n); w.Uses.Count[r] > 0 && (!x.IsLocal() || w.Uses.Count[x] != 1 || f.DefBlock(x) != b) {
					return false
				}
			}
		}
		i = inner
	}
	return true
}

// silent reports whether a branch does nothing but leave with values that lie where they are to be.
func (w *Printer) silent(i ir.Inst, b ir.Block) bool {
	if !w.trivial(b) {
		return false
	}
	for n, r := range w.F.Results(i) {
		if w.Uses.Count[r] > 0 && !w.sharedBy(w.F.Arg(w.F.First(b), n), r) {
			return false
		}
	}
	return true
}
