package msl

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells constants. Scalars and vectors are written where they are used. An aggregate
// that is not all zero is data of the module in the space constant. That is the only kind of
// variable that a Metal program has at its outermost level.

// Constant returns a constant's text.
func (w *emitter) Constant(v ir.Value) printer.Expr {
	m, t := w.M, w.M.TypeOf(v)
	switch {
	case m.IsScalar(t):
		return w.scalarConstant(scalar.Kind(t), m.ConstBits(v))
	case m.IsVector(t):
		return w.vectorConstant(v)
	case m.HoldsFragment(t):
		return w.zero(t)
	case m.IsZero(v):
		return printer.Atom(w.typeName(t) + "{}")
	}
	return printer.Call(w.loadHelper(t, ir.Constant), []printer.Expr{w.data(v)})
}

// data returns the variable of the module that has a constant.
func (w *emitter) data(v ir.Value) printer.Expr {
	name := w.constants[v]
	if name == "" {
		name = w.globals.Always("table")
		w.constants[v] = name
		w.declareData(name, v)
	}
	return printer.Atom(name)
}

func (w *emitter) declareData(name string, v ir.Value) {
	t := w.M.TypeOf(v)
	w.variables = append(w.variables, "constant "+w.inMemory(t, 16).name+" "+name+" = "+w.initial(v, w.inMemory(t, 16).packed)+";\n"...)
}

// initial spells a constant as it lies in memory.
func (w *emitter) initial(v ir.Value, packed bool) string {
	m, t := w.M, w.M.TypeOf(v)
	switch {
	case m.IsScalar(t):
		if scalar.Kind(t) == scalar.Bool {
			return w.scalarConstant(scalar.U32, m.ConstBits(v)).Text
		}
		return w.scalarConstant(scalar.Kind(t), m.ConstBits(v)).Text
	case m.IsVector(t) && !packed && m.ScalarOf(t) != scalar.Bool:
		return w.vectorConstant(v).Text
	case m.IsZero(v) && !m.IsVector(t):
		return "{}"
	}
	var b strings.Builder
	isVector := m.IsVector(t)
	if isVector && !packed {
		b.WriteString(w.vectorName(scalar.U32, m.Components(t)) + "(")
	} else {
		b.WriteString("{")
	}
	isArray := !isVector && m.KindOf(t) != ir.StructType
	if isArray {
		b.WriteString("{")
	}
	n, _ := m.Count(t)
	end := uint32(0)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if isVector {
			b.WriteString(w.initial(m.ConstPart(v, i), false))
			continue
		}
		p := w.partOf(t, i)
		if !isArray {
			if member := m.Members(t)[i]; member.Offset > end {
				b.WriteString("{}, ")
				end = member.Offset
			}
			end += p.size
		}
		text := w.initial(m.ConstPart(v, i), p.packed)
		if isArray && w.isPadded(t) {
			text = "{" + text + ", {}}"
		}
		b.WriteString(text)
	}
	if isArray {
		b.WriteString("}")
	}
	if isVector && !packed {
		b.WriteString(")")
	} else {
		b.WriteString("}")
	}
	return b.String()
}

// vectorConstant spells a vector: with one operand if all components are equal.
func (w *emitter) vectorConstant(v ir.Value) printer.Expr {
	m, t := w.M, w.M.TypeOf(v)
	k := m.ScalarOf(t)
	if bits, ok := m.ConstSplatBits(v); ok {
		part := w.scalarConstant(k, bits)
		x := printer.Atom(w.typeName(t) + "(" + part.Text + ")")
		x.Scalar = &part
		if part.Bits != "" {
			x.Bits, x.BitsLevel = w.vectorName(unsignedKinds[k], m.Components(t))+"("+part.Bits+")", printer.Primary
		}
		return x
	}
	parts := make([]printer.Expr, m.Components(t))
	for n := range parts {
		parts[n] = w.scalarConstant(k, m.ConstBits(m.ConstPart(v, uint32(n))))
	}
	x := printer.Call(w.typeName(t), parts)
	if unsigned := unsignedKinds[k]; unsigned != k && unsigned != 0 {
		for n := range parts {
			parts[n].Text = parts[n].Bits
		}
		x.Bits, x.BitsLevel = printer.Call(w.vectorName(unsigned, m.Components(t)), parts).Text, printer.Primary
	}
	return x
}

// scalarConstant returns the text of a scalar. In Bits, signed integers are written as unsigned
// ones. Infinities and NaNs are cast from their bits. An f16 is a converted f32, which is exact.
func (w *emitter) scalarConstant(k scalar.Kind, bits uint64) printer.Expr {
	switch {
	case k == scalar.Bool:
		return printer.Atom(strconv.FormatBool(bits != 0))
	case k.IsFloat():
		return w.float(k, bits)
	case k == scalar.I32:
		x := number(strconv.FormatInt(scalar.ToInt64(k, bits), 10))
		if int32(bits) == math.MinInt32 { // whose digits would be a long
			x = printer.Atom("int(0x80000000u)")
		}
		x.Bits, x.BitsLevel = strconv.FormatUint(bits, 10)+"u", printer.Primary
		return x
	case k == scalar.I64:
		x := number(strconv.FormatInt(scalar.ToInt64(k, bits), 10) + "l")
		if int64(bits) == math.MinInt64 {
			x = printer.Atom("long(0x8000000000000000ul)")
		}
		x.Bits, x.BitsLevel = strconv.FormatUint(bits, 10)+"ul", printer.Primary
		return x
	case k.IsNarrow():
		return printer.Atom(w.scalarName(k) + "(" + strconv.FormatInt(scalar.ToInt64(k, bits), 10) + ")")
	case k == scalar.U64:
		w.scalarName(k)
		return printer.Atom(strconv.FormatUint(bits, 10) + "ul")
	}
	return printer.Atom(strconv.FormatUint(bits, 10) + "u")
}

func (w *emitter) float(k scalar.Kind, bits uint64) printer.Expr {
	x := scalar.ToFloat64(k, bits)
	if math.IsInf(x, 0) || math.IsNaN(x) {
		if k == scalar.F16 {
			return printer.Atom("as_type<half>(ushort(0x" + strconv.FormatUint(bits, 16) + "))")
		}
		return printer.Atom("as_type<float>(0x" + strconv.FormatUint(bits, 16) + "u)")
	}
	text := strconv.FormatFloat(x, 'g', -1, 32)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if text += "f"; k == scalar.F16 {
		return printer.Atom("half(" + text + ")")
	}
	return number(text)
}

// number returns an expression for a literal, which may be negative.
func number(text string) printer.Expr {
	if text[0] == '-' {
		return printer.Expr{Text: text, Level: printer.Unary}
	}
	return printer.Atom(text)
}
