package msl

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes parts of values and of memory. A pointer has no text. Its lvalue is written
// wherever it is used.

// form says how an lvalue is spelled: as a value, or as in memory, and there packed or not.
type form struct{ memory, packed bool }

// formOf returns the form of what a pointer points to. Variables of an invocation that are scalars
// or vectors are spelled as values, since nothing depends on how they lie.
func (w *emitter) formOf(pointer ir.Value) form {
	f, m := w.F, w.M
	d, ok := f.Def(pointer)
	if !ok || !isAccess(f, d) {
		t := f.TypeOf(pointer)
		switch m.SpaceOf(t) {
		case ir.Function, ir.Private:
			return form{memory: !w.isLeaf(m.Element(t))}
		}
		if m.IsRuntimeArray(m.Element(t)) {
			return form{memory: true}
		}
		return form{true, w.inMemory(m.Element(t), m.Align(m.Element(t))).packed}
	}
	args := f.Args(d)
	x, t := w.formOf(args[0]), m.Element(f.TypeOf(args[0]))
	for _, index := range args[1:] {
		k, _ := m.ConstUint(index)
		x = w.within(x, t, uint32(k))
		t = m.PartType(t, uint32(k))
	}
	return x
}

// within returns the form of a part of what has a form.
func (w *emitter) within(x form, t ir.Type, index uint32) form {
	if w.M.IsVector(t) {
		return form{memory: x.memory}
	}
	return form{true, w.partOf(t, index).packed}
}

// part writes a part of a value or of memory. A constant index beyond the last part of a value is
// that of the last.
func (w *emitter) part(x printer.Expr, t ir.Type, in form, index ir.Value) printer.Expr {
	m := w.M
	x.Operator, x.Scalar, x.Bits = "", nil, ""
	p := x.Within(printer.Primary)
	constant, known := uint64(0), index.IsConst()
	if known {
		constant = m.ConstBits(index)
		if n, sized := m.Count(t); sized && constant >= uint64(n) {
			constant = uint64(n - 1)
		}
	}
	switch {
	case m.KindOf(t) == ir.StructType:
		w.typeName(t)
		p.Text += "." + w.memberNames(t)[constant]
		return p
	case known && m.IsVector(t) && !in.packed:
		p.Text += "." + "xyzw"[constant:][:1]
		return p
	}
	if !m.IsVector(t) && !m.IsRuntimeArray(t) {
		p.Text += ".at"
	}
	if known {
		p.Text += "[" + strconv.FormatUint(constant, 10) + "]"
	} else {
		i := w.Take(index)
		p.Text += "[" + i.Text + "]"
		p = p.With(i)
	}
	if !m.IsVector(t) && w.isPadded(t) {
		p.Text += ".value"
	}
	return p
}

// asValue writes the contents of an lvalue as a value.
func (w *emitter) asValue(x printer.Expr, t ir.Type, in form) printer.Expr {
	if !in.memory || !w.isLeaf(t) {
		return x
	}
	k, n := w.M.ScalarOf(t), w.M.Components(t)
	if in.packed {
		if k == scalar.Bool {
			x = convert(w.vectorName(scalar.U32, n), x)
		} else {
			return convert(w.typeName(t), x)
		}
	}
	if k == scalar.Bool {
		return convert(w.typeName(t), x)
	}
	return x
}

// inForm writes a value as it is stored where it is not packed.
func (w *emitter) inForm(x printer.Expr, t ir.Type, in form) printer.Expr {
	if in.memory && w.isLeaf(t) && w.M.ScalarOf(t) == scalar.Bool {
		return convert(w.vectorName(scalar.U32, w.M.Components(t)), x)
	}
	return x
}

// convert writes a conversion.
func convert(to string, x printer.Expr) printer.Expr {
	return printer.Expr{Text: to + "(" + x.Text + ")", Level: printer.Primary}.With(x)
}

// insert writes the change of a part: of a variable that holds the value from then on.
func (w *emitter) insert(i ir.Inst) {
	f := w.F
	args := f.Args(i)
	old, value := w.Take(args[0]), w.Take(args[1])
	t := f.TypeOf(args[0])
	name := w.Insertion(i, 0, old)
	k, _ := w.M.ConstUint(args[2])
	in := w.within(form{}, t, uint32(k))
	w.put(w.part(printer.Atom(name), t, form{}, args[2]), value, f.TypeOf(args[1]), in, ir.Function)
}

// put writes an assignment to an lvalue in a space.
func (w *emitter) put(to, value printer.Expr, t ir.Type, in form, space ir.Space) {
	switch {
	case in.packed:
		w.Line(w.setPacked(t, space), "(", to.Text, ", ", w.inForm(value, t, in).Text, ");")
	case !w.isLeaf(t) && spaces[space].name != "thread":
		w.Line(w.copyHelper(t, space, ir.Function), "(", to.Text, ", ", value.Text, ");")
	default:
		w.Assign(to.Text, w.inForm(value, t, in))
	}
}
