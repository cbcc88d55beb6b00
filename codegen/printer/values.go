package printer

import (
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file decides how values are written. One that is used once, where it is made or in
// a block within, is nested into its use; others get a name. What reads memory
// keeps its order with what writes there: it waits to be nested until something is about
// to write, and then gets a name.

// Take returns the text of a value where it is used.
func (w *Printer) Take(v ir.Value) Expr {
	switch {
	case v.IsConst():
		x := w.Language.Constant(v)
		x.Constant = true
		return x
	case v.IsGlobal():
		return w.Language.Global(v)
	}
	for n, waiting := range w.waiting {
		if waiting == v {
			w.waiting = append(w.waiting[:n], w.waiting[n+1:]...)
			break
		}
	}
	x := w.Exprs[v]
	if x.Text == "" {
		panic(w.Name + ": a value is used that was not written: " + w.F.InstText(w.Uses.User[v]))
	}
	return x
}

// Define gives the value of an instruction its text: that of an expression, or a name.
func (w *Printer) Define(i ir.Inst, x Expr) {
	f, v := w.F, w.F.Result(i)
	x.Span = f.SpanOf(i)
	if w.cheap(i, x) || w.Nests(i) && len(x.Text) <= MaxWidth {
		w.Exprs[v] = x
		if x.Reads != ir.NoValue {
			w.waiting = append(w.waiting, v)
		}
		return
	}
	if w.M.IsPointer(f.Type(i)) {
		w.Exprs[v] = x
		return
	}
	w.Exprs[v] = w.Let(v, f.Type(i), x)
}

// cheap reports whether an expression is written as often as it is used: a part of what has
// a name.
func (w *Printer) cheap(i ir.Inst, x Expr) bool {
	return w.F.Op(i) == op.Extract && x.Reads == ir.NoValue && w.Path(w.F.Result(i), x)
}

// Nests reports whether an instruction's value may be written where it is used: once, and in no
// inner loop, where it would be computed again and again. What reads memory may be nested in its
// own block only. A value to which the source gives a name keeps it.
func (w *Printer) Nests(i ir.Inst) bool {
	f, v := w.F, w.F.Result(i)
	if w.Uses.Count[v] != 1 {
		return false
	}
	user := w.Uses.User[v]
	o := f.Op(user)
	if w.Uses.loop[f.BlockOf(user)] != w.Uses.loop[f.BlockOf(i)] {
		return false
	}
	if f.Op(i).Reads() && f.BlockOf(user) != f.BlockOf(i) {
		return false
	}
	return f.ValueName(v) == "" || o.Is(op.Terminator) || o == op.Loop
}

// Let gives an expression of type t a name, like that of the value if it has one. Without a value,
// v is ir.NoValue.
func (w *Printer) Let(v ir.Value, t ir.Type, x Expr) Expr {
	hint := w.F.ValueName(v)
	if hint == "" {
		hint = memberOf(x)
	}
	name := w.Names.Name(hint)
	w.lineFrom(x, w.Language.Named(name, t, x.Text))
	return Expr{Text: name, Level: Primary, Constant: x.Constant, Span: x.Span}
}

// memberOf returns the name of the member that an expression reads, or t.
func memberOf(x Expr) string {
	if n := strings.LastIndexByte(x.Text, '.'); n > 0 && x.Level == Primary && len(x.Text)-n > 2 && !strings.ContainsAny(x.Text[n+1:], "[]() ") {
		return x.Text[n+1:]
	}
	return "t"
}

// Flush names what waits to be nested and reads memory that is about to be written.
func (w *Printer) Flush(written ir.Value) {
	kept := w.waiting[:0]
	for _, v := range w.waiting {
		x := &w.Exprs[v]
		if written != Anything && x.Reads != Anything && x.Reads != written {
			kept = append(kept, v)
			continue
		}
		*x = w.Let(v, w.F.TypeOf(v), *x)
	}
	w.waiting = kept
}

// Assign writes an assignment, with a compound operator where the value is made of what is there.
func (w *Printer) Assign(target string, x Expr) {
	if x.Right == target && x.Left != target && strings.Contains("+*&|^", x.Operator) && x.Operator != "" && !x.Mixed {
		x.Left, x.Operand = target, x.Left
	}
	switch {
	case x.Operator == "" || x.Left != target || x.Level == Relational:
		w.Line(target, " = ", x.Text, ";")
	case !x.Mixed && x.Operator == "+" && (x.Operand == "1" || x.Operand == "1u"):
		w.Line(target, "++;")
	case !x.Mixed && x.Operator == "-" && (x.Operand == "1" || x.Operand == "1u"):
		w.Line(target, "--;")
	default:
		w.Line(target, " ", x.Operator, "= ", x.Operand, ";")
	}
}

// Insertion writes the variable that holds, from an instruction on, the operand that it changes,
// and returns its name. Changes in a row are made to one variable.
func (w *Printer) Insertion(i ir.Inst, operand int, old Expr) string {
	f := w.F
	r, whole := f.Result(i), f.Arg(i, operand)
	if whole.IsLocal() && w.Shared[whole] != 0 && f.TypeOf(whole) == f.TypeOf(r) && w.unread(whole, w.Uses.order[i]+1, i) {
		w.share(r, whole)
		return old.Text
	}
	hint := f.ValueName(r)
	if hint == "" {
		hint = "changed"
	}
	name := w.AssignVariable(r, hint)
	w.Line(w.Language.Variable(name, f.TypeOf(r), old.Text))
	return name
}

// Root returns the variable that a pointer leads into.
func (w *Printer) Root(v ir.Value) ir.Value {
	for {
		d, ok := w.F.Def(v)
		if !ok || w.F.Op(d) != op.Access {
			return v
		}
		v = w.F.Arg(d, 0)
	}
}

// Quiet reports whether nothing is written, and no block entered, between an instruction
// and its only use.
func (w *Printer) Quiet(i ir.Inst) bool {
	f, v := w.F, w.F.Result(i)
	if w.Uses.Count[v] != 1 {
		return false
	}
	user := w.Uses.User[v]
	for at := f.Next(i); at != 0; at = f.Next(at) {
		if at == user {
			return true
		}
		if o := f.Op(at); o.Writes() || o.Is(op.Control|op.Convergent) {
			return false
		}
	}
	return false
}

// Index prepares an index of an access, which is written wherever the access is used. What is
// written several times gets a name. So does what reads memory, unless quiet says that nothing
// happens up to there.
func (w *Printer) Index(index ir.Value, quiet bool) {
	if index.IsConst() {
		return
	}
	e := w.Exprs[index]
	if e.Reads != ir.NoValue && !quiet || w.Uses.Count[index] > 1 && e.Level != Primary {
		w.Exprs[index] = w.Let(index, w.F.TypeOf(index), w.Take(index))
	}
}

// Path reports whether an expression is a variable that nothing changes, or a member of one, to
// which the source gives no other name. It is written wherever it is used.
func (w *Printer) Path(v ir.Value, x Expr) bool {
	hint := w.F.ValueName(v)
	return len(x.Text) < MaxWidth/2 && !strings.ContainsAny(x.Text, "[( ") && (hint == "" || hint == strings.ReplaceAll(x.Text, ".", "_"))
}

// DeclaredByStore reports whether a variable's first use is a store in the function's outermost
// block, which declares it.
func (w *Printer) DeclaredByStore(v ir.Value) bool {
	f := w.F
	first := w.Uses.User[v]
	return first != 0 && f.Op(first) == op.Store && f.Arg(first, 0) == v && f.BlockOf(first) == f.Entry
}

// Declares reports whether a store is the one that declares its variable.
func (w *Printer) Declares(i ir.Inst) bool {
	d, ok := w.F.Def(w.F.Arg(i, 0))
	return ok && w.F.Op(d) == op.Var && w.Uses.User[w.F.Arg(i, 0)] == i && w.F.BlockOf(i) == w.F.Entry && w.F.Arg(i, 1) != w.F.Arg(i, 0)
}
