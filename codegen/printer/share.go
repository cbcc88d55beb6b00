package printer

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file coalesces results and parameters into shared variables (copy coalescing of phis). With
// separate variables, every exit and continue would copy the values that it carries; a person
// writes `sum += x` instead. Values may share a variable if none is read after another was written:
//
//   - the argument of a continue and the loop parameter that receives it: it is written after the
//     last read of the parameter
//   - a loop's result that is one of its parameters at every exit
//   - a result whose value at an exit is in a variable that nothing reads afterwards
//   - a result that is only passed to an exit of the enclosing instruction

// AssignVariable gives a value a new variable, and returns its name.
func (w *Printer) AssignVariable(v ir.Value, hint string) string {
	if name := w.F.ValueName(v); name != "" {
		hint = name
	}
	name := w.Names.Name(hint)
	w.Shared[v] = v
	w.Exprs[v] = Expr{Text: name, Level: Primary, Vars: []ir.Value{v}}
	return name
}

// Destination declares the variable that an instruction writes its result to, and returns its name.
// A result that is only passed to an exit of the enclosing instruction is written to that of what
// it becomes.
func (w *Printer) Destination(i ir.Inst, hint string) string {
	f := w.F
	r := f.Result(i)
	if outer := w.carriedOn(i, r); outer != ir.NoValue {
		w.share(r, outer)
		w.carried[r] = true
		return w.Exprs[r].Text
	}
	name := w.AssignVariable(r, hint)
	w.Line(w.Language.Variable(name, f.TypeOf(r), ""))
	return name
}

// share puts a value into the variable of another one.
func (w *Printer) share(v, with ir.Value) {
	w.Shared[v] = w.Shared[with]
	w.Exprs[v] = w.Exprs[w.Shared[with]]
}

// unread reports whether nothing reads a value from a position in the text on. No loop may come
// back to a position where it is read.
func (w *Printer) unread(v ir.Value, from uint32, at ir.Inst) bool {
	f := w.F
	for ; v != ir.NoValue; v = w.alias[v] {
		if w.Uses.last[v] >= from || w.Uses.loop[f.DefBlock(v)] != w.Uses.loop[f.BlockOf(at)] {
			return false
		}
	}
	return true
}

// behind returns the position in the text behind an instruction and its blocks.
func (w *Printer) behind(i ir.Inst) uint32 {
	if next := w.F.AfterRegions(i, w.F.Entry); next != 0 {
		return w.Uses.order[next]
	}
	return ^uint32(0)
}

// results gives the results of an if, switch or scope their variables: those that exist. The
// others are left to the caller.
func (w *Printer) results(i ir.Inst) {
	f := w.F
	results := f.Results(i)
	if len(results) == 0 {
		return
	}
	end := w.behind(i)
	for n, r := range results {
		if w.Uses.Count[r] == 0 {
			continue
		}
		if outer := w.carriedOn(i, r); outer != ir.NoValue {
			w.share(r, outer)
			w.carried[r] = true
			continue
		}
		for at := f.After(i, f.BlockOf(i)); at != 0 && w.Uses.order[at] < end; at = f.After(at, f.BlockOf(i)) {
			if f.Op(at) != op.Exit || f.Target(at) != i {
				continue
			}
			if x := f.Arg(at, n); x.IsLocal() && w.Shared[x] != 0 && f.TypeOf(x) == f.TypeOf(r) && w.unread(x, end, i) && !w.taken(results[:n], x) {
				w.share(r, x)
				break
			}
		}
	}
}

// taken reports whether one of some values lies in the variable of another one.
func (w *Printer) taken(values []ir.Value, x ir.Value) bool {
	for _, v := range values {
		if w.Shared[v] == w.Shared[x] {
			return true
		}
	}
	return false
}

// carriedOn returns the result of the instruction around i that an exit makes of r. That must be
// the only use of r, and the result must have a variable that nothing else is in.
func (w *Printer) carriedOn(i ir.Inst, r ir.Value) ir.Value {
	f := w.F
	exit := f.Last(f.BlockOf(i))
	if w.Uses.Count[r] != 1 || w.Uses.User[r] != exit || f.Op(exit) != op.Exit {
		return ir.NoValue
	}
	outer := f.Target(exit)
	if w.controls[outer].inlined || outer != f.Parent(f.BlockOf(i)) || f.Op(outer) == op.Loop {
		return ir.NoValue
	}
	for n, a := range f.Args(exit) {
		if result := f.Results(outer)[n]; a == r && w.Shared[result] != 0 && (w.Shared[result] == result || w.carried[result]) {
			return result
		}
	}
	return ir.NoValue
}

// loopVariables lets a loop's parameters, results and those of its continuing block share
// variables. Parameters that nothing else is in get their own from the caller.
func (w *Printer) loopVariables(i ir.Inst) {
	f := w.F
	params, further := f.Params(f.Region(i, 0)), f.Params(f.Region(i, 1))
	initial := f.Args(i)
	for n, p := range params {
		x := initial[n]
		if w.Uses.Count[p] > 0 && x.IsLocal() && w.Shared[x] != 0 && w.unread(x, w.Uses.order[i]+1, i) && !w.taken(params[:n], x) {
			w.share(p, x)
		} else if w.Uses.Count[p] > 0 {
			w.AssignVariable(p, "k")
		}
	}
	next := f.Last(f.Region(i, 1))
	var carried, results []ir.Value
	if next != 0 && f.Op(next) == op.Next {
		carried, _, results = f.NextArgs(next)
	}
	for _, u := range further {
		for n, a := range carried {
			if a == u && w.Uses.Count[u] == 1 && w.Uses.Count[params[n]] > 0 && !w.readIn(f.Region(i, 1), params[n]) && !w.taken(further, params[n]) {
				w.share(u, params[n])
				break
			}
		}
	}
	for n, r := range f.Results(i) {
		if w.Uses.Count[r] == 0 {
			continue
		}
		for k, p := range params {
			if w.Uses.Count[p] > 0 && f.TypeOf(p) == f.TypeOf(r) && !w.taken(f.Results(i)[:n], p) && w.leavesWith(i, n, p) &&
				(results == nil || results[n] == carried[k] || w.sharedBy(results[n], p) && w.sharedBy(carried[k], p)) {
				w.share(r, p)
				break
			}
		}
	}
}

func (w *Printer) sharedBy(v, p ir.Value) bool {
	return v.IsLocal() && w.Shared[v] != 0 && w.Shared[v] == w.Shared[p]
}

// readIn reports whether a value is read in a block.
func (w *Printer) readIn(b ir.Block, v ir.Value) bool {
	f := w.F
	for i := f.First(b); i != 0; i = f.After(i, b) {
		for _, a := range f.Args(i) {
			if a == v {
				return true
			}
		}
	}
	return false
}

// leavesWith reports whether every exit of a loop has p for result n.
func (w *Printer) leavesWith(i ir.Inst, n int, p ir.Value) bool {
	f := w.F
	body := f.Region(i, 0)
	for at := f.First(body); at != 0; at = f.After(at, body) {
		if f.Op(at) == op.Exit && f.Target(at) == i && f.Arg(at, n) != p {
			return false
		}
	}
	return true
}
