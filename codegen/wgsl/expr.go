package wgsl

import (
	"math"
	"strconv"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes parts of values and of memory, and hides constants that WGSL would refuse.

// unknown hides a constant in a variable, so that it is not evaluated before the code runs.
func (w *emitter) unknown(x printer.Expr) printer.Expr {
	name := w.Names.Name("t")
	w.Line("var ", name, " = ", x.Text, ";")
	return printer.Atom(name)
}

// part writes a part of a value or of memory. An index beyond the last part is that of the
// last in a value (IR); into memory, where WGSL refuses it, it is hidden.
func (w *emitter) part(x printer.Expr, t ir.Type, index ir.Value, isValue bool) printer.Expr {
	m := w.M
	x.Operator, x.Scalar = "", nil
	p := x.Within(printer.Primary)
	constant, known := uint64(0), index.IsConst()
	if known {
		constant = m.ConstBits(index)
		n, sized := m.Count(t)
		switch outside := sized && constant >= uint64(n) || !sized && m.ScalarOf(m.TypeOf(index)).IsSigned() && constant > math.MaxInt32; {
		case outside && isValue:
			constant = uint64(n - 1)
		case outside:
			p.Text += "[" + w.unknown(w.Constant(index)).Text + "]"
			return p
		}
	}
	switch {
	case m.KindOf(t) == ir.StructType:
		p.Text += "." + w.memberName(t, uint32(constant))
	case known && m.IsVector(t):
		p.Text += "." + "xyzw"[constant:][:1]
	case known:
		p.Text += "[" + strconv.FormatUint(constant, 10)
		if constant > math.MaxInt32 {
			p.Text += "u"
		}
		p.Text += "]"
	default:
		i := w.Take(index)
		if i.Constant {
			i = w.unknown(i)
		}
		p.Text += "[" + i.Text + "]"
		p = p.With(i)
		p.Constant = false
	}
	return p
}

// insert writes the change of a part: of a variable that holds the value from then on.
func (w *emitter) insert(i ir.Inst) {
	f := w.F
	args := f.Args(i)
	old, value := w.Take(args[0]), w.Take(args[1])
	t := f.TypeOf(args[0])
	name := w.Insertion(i, 0, old)
	index := args[2]
	ref := w.part(printer.Atom(name), t, index, true)
	// outside it is the last part, and WGSL may change any
	if n, _ := w.M.Count(t); !index.IsConst() && !w.below(index, n) {
		i := w.Take(index)
		if w.M.ScalarOf(f.TypeOf(index)) == scalar.I32 {
			i = printer.Call("u32", []printer.Expr{i})
		}
		ref = printer.Atom(name + "[" + printer.Call("min", []printer.Expr{i, printer.Atom(strconv.Itoa(int(n-1)) + "u")}).Text + "]")
	}
	w.Assign(ref.Text, value)
}

// below reports whether the operation that computes an index bounds it below n.
func (w *emitter) below(index ir.Value, n uint32) bool {
	d, ok := w.F.Def(index)
	if o := w.F.Op(d); !ok || o != op.And && o != op.Min && o != op.Rem || w.M.ScalarOf(w.F.TypeOf(index)) != scalar.U32 {
		return false
	}
	for k, a := range w.F.Args(d) {
		x, known := w.M.ConstUint(a)
		if o := w.F.Op(d); known && (o == op.Rem && k == 1 && x > 0 && x <= uint64(n) || o != op.Rem && x < uint64(n)) {
			return true
		}
	}
	return false
}
