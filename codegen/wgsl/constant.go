package wgsl

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells constants. Literals of i32 and f32 have no suffix, since those are the default
// types. No operation has only constant operands: it would be evaluated before the code runs, with
// more precision and with errors instead of results.

// Constant returns a constant's text.
func (w *emitter) Constant(v ir.Value) printer.Expr {
	m, t := w.M, w.M.TypeOf(v)
	if m.IsScalar(t) {
		return w.scalarConstant(scalar.Kind(t), m.ConstBits(v))
	}
	if name := w.constants[v]; name != "" {
		return printer.Atom(name)
	}
	spelled := w.composite(v)
	if !m.IsVector(t) && len(spelled) > printer.MaxWidth/2 && !w.nonFinite(v) {
		name := w.globals.Always("constant")
		w.constants[v] = name
		w.declarations = append(w.declarations, "const "+name+" = "+spelled+";\n"...)
		return printer.Atom(name)
	}
	x := printer.Atom(spelled)
	if bits, ok := m.ConstSplatBits(v); ok && m.IsVector(t) {
		part := w.scalarConstant(m.ScalarOf(t), bits)
		x.Scalar = &part
	}
	return x
}

// composite spells a constant with parts.
func (w *emitter) composite(v ir.Value) string {
	m, t := w.M, w.M.TypeOf(v)
	name := w.typeName(t)
	if m.IsVector(t) {
		if bits, ok := m.ConstSplatBits(v); ok {
			return name + "(" + w.scalarConstant(m.ScalarOf(t), bits).Text + ")"
		}
	}
	if m.IsZero(v) {
		return name + "()"
	}
	n, _ := m.Count(t)
	var b strings.Builder
	b.WriteString(name + "(")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if part := m.ConstPart(v, i); m.IsScalar(m.TypeOf(part)) {
			b.WriteString(w.scalarConstant(scalar.Kind(m.TypeOf(part)), m.ConstBits(part)).Text)
		} else {
			b.WriteString(w.composite(part))
		}
	}
	b.WriteString(")")
	return b.String()
}

// nonFinite reports whether a constant has an infinity or a NaN in it, which is no
// constant of WGSL's (WGSL §15.7.2).
func (w *emitter) nonFinite(v ir.Value) bool {
	m, t := w.M, w.M.TypeOf(v)
	if m.IsZero(v) {
		return false
	}
	if m.IsScalar(t) {
		k := scalar.Kind(t)
		x := scalar.ToFloat64(k, m.ConstBits(v))
		return k.IsFloat() && (math.IsInf(x, 0) || math.IsNaN(x))
	}
	n, _ := m.Count(t)
	for i := range n {
		if w.nonFinite(m.ConstPart(v, i)) {
			return true
		}
	}
	return false
}

// scalarConstant returns the text of a scalar. Infinities and NaNs are cast from their bits in a
// function, whose result is not constant for WGSL.
func (w *emitter) scalarConstant(k scalar.Kind, bits uint64) printer.Expr {
	w.scalarName(k)
	switch {
	case k == scalar.Bool:
		return printer.Atom(strconv.FormatBool(bits != 0))
	case k.IsFloat():
		x := scalar.ToFloat64(k, bits)
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return printer.Atom(w.fromBits(k) + "(0x" + strconv.FormatUint(bits, 16) + "u)")
		}
		text := strconv.FormatFloat(x, 'g', -1, 32)
		// the shortest digits of which are above it, and out of range
		if math.Abs(x) == math.MaxFloat32 {
			text = strconv.FormatFloat(x, 'g', -1, 64)
		}
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		if k == scalar.F16 {
			text += "h"
		}
		return number(text)
	case k.IsSigned():
		return number(strconv.FormatInt(scalar.ToInt64(k, bits), 10))
	}
	return printer.Atom(strconv.FormatUint(bits, 10) + "u")
}

// number returns an expression for a literal, which may be negative.
func number(text string) printer.Expr {
	if text[0] == '-' {
		return printer.Expr{Text: text, Level: printer.Unary}
	}
	return printer.Atom(text)
}

// fromBits returns the name of the function that casts bits to a float.
func (w *emitter) fromBits(k scalar.Kind) string {
	if w.bits[k] == "" {
		w.bits[k] = w.globals.Always(k.String() + "_from_bits")
		value := "bitcast<f32>(bits)"
		if k == scalar.F16 {
			value = "bitcast<vec2h>(bits).x"
		}
		w.declarations = append(w.declarations, "\nfn "+w.bits[k]+"(bits: u32) -> "+k.String()+" {\n  return "+value+";\n}\n"...)
	}
	return w.bits[k]
}
