package wgsl

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file decides how values are written. One that is used once, where it is made or in
// a block within, is nested into its use; others get a name by a let. What reads memory
// keeps its order with what writes there: it waits to be nested until something is about
// to write, and then gets a name.

// level is how tightly an expression's outermost operator binds (WGSL §8.18).
type level uint8

const (
	relational level = iota
	bitwise          // whose operands are unary
	shift            // as well
	additive
	multiplicative
	unary
	primary
)

// maxWidth is how long an expression may be that is nested.
const maxWidth = 72

// anything stands for memory of all variables.
const anything = ^ir.NoValue

// expr is the text of a value or, for a pointer, of what it points to.
type expr struct {
	text     string
	level    level
	reads    ir.Value   // the variable it reads, anything, or none
	vars     []ir.Value // results and parameters whose variables it names
	constant bool       // WGSL knows it before the code runs
	scalar   *expr      // of a vector of equal components: one of them
	mixed    bool       // an operation on a vector and a scalar
	// operator and operands of an operation with two
	operator, left, right string
	operand               string // the right one without parentheses
}

func atom(text string) expr { return expr{text: text, level: primary} }

// within puts an expression in parentheses if it binds less tightly than asked for.
func (x expr) within(l level) expr {
	if x.level < l {
		x.text, x.operator = "("+x.text+")", ""
		x.level = primary
	}
	return x
}

// with notes what a part of an expression reads and names.
func (x expr) with(part expr) expr {
	if x.reads == ir.NoValue {
		x.reads = part.reads
	} else if part.reads != ir.NoValue && part.reads != x.reads {
		x.reads = anything
	}
	if len(part.vars) > 0 {
		x.vars = append(x.vars[:len(x.vars):len(x.vars)], part.vars...)
	}
	return x
}

// operandLevels are what the operands of an operator have to be, on the left and on the right.
var operandLevels = [primary][2]level{
	relational: {additive, additive}, bitwise: {unary, unary}, shift: {unary, unary},
	additive: {additive, multiplicative}, multiplicative: {multiplicative, unary},
}

func binary(a expr, operator string, b expr, l level) expr {
	mixed := (l == additive || l == multiplicative) && (a.scalar != nil || b.scalar != nil)
	if mixed {
		switch {
		case b.scalar != nil:
			b = *b.scalar
		case a.scalar != nil:
			a = *a.scalar
		}
	}
	left, right := a, b.within(operandLevels[l][1])
	if l != bitwise || a.operator != operator {
		left = a.within(operandLevels[l][0])
	}
	x := expr{text: left.text + " " + operator + " " + right.text, level: l, operator: operator, left: left.text, right: right.text, operand: b.text, mixed: mixed}
	return x.with(a).with(b)
}

func prefix(operator string, a expr) expr {
	return expr{text: operator + a.within(primary).text, level: unary}.with(a)
}

// call writes a call. A comparison among its arguments gets parentheses, for < and > of two
// arguments would enclose a template's.
func call(function string, args []expr) expr {
	x := expr{level: primary}
	var b strings.Builder
	b.WriteString(function + "(")
	for n, a := range args {
		if n > 0 {
			b.WriteString(", ")
		}
		if n+1 < len(args) {
			b.WriteString(a.within(bitwise).text)
		} else {
			b.WriteString(a.text)
		}
		x = x.with(a)
	}
	b.WriteString(")")
	x.text = b.String()
	return x
}

// take returns the text of a value where it is used.
func (w *emitter) take(v ir.Value) expr {
	switch {
	case v.IsConst():
		x := w.constant(v)
		x.constant = true
		return x
	case v.IsGlobal():
		return w.global(v)
	}
	for n, waiting := range w.waiting {
		if waiting == v {
			w.waiting = append(w.waiting[:n], w.waiting[n+1:]...)
			break
		}
	}
	x := w.exprs[v]
	if x.text == "" {
		panic("wgsl: a value is used that was not written: " + w.f.InstText(w.user(v)))
	}
	return x
}

func (w *emitter) user(v ir.Value) ir.Inst { return w.uses.user[v] }

// define gives the value of an instruction its text: that of an expression, or a name.
func (w *emitter) define(i ir.Inst, x expr) {
	f, v := w.f, w.f.Result(i)
	if w.cheap(i, x) || w.nests(i) && len(x.text) <= maxWidth {
		w.exprs[v] = x
		if x.reads != ir.NoValue {
			w.waiting = append(w.waiting, v)
		}
		return
	}
	if w.m.IsPointer(f.Type(i)) {
		w.exprs[v] = x
		return
	}
	w.exprs[v] = w.let(v, x)
}

// cheap reports whether an expression is written as often as it is used: a part of what has
// a name.
func (w *emitter) cheap(i ir.Inst, x expr) bool {
	return w.f.Op(i) == op.Extract && x.reads == ir.NoValue && w.path(w.f.Result(i), x)
}

// nests reports whether an instruction's value may stand where it is used: once, and no
// loop further inside, where it would be computed again and again. What reads memory may be
// nested in its own block only. A value to which the source gives a name keeps it.
func (w *emitter) nests(i ir.Inst) bool {
	f, v := w.f, w.f.Result(i)
	if w.uses.count[v] != 1 {
		return false
	}
	user := w.uses.user[v]
	o := f.Op(user)
	if w.uses.loop[f.BlockOf(user)] != w.uses.loop[f.BlockOf(i)] {
		return false
	}
	if f.Op(i).Reads() && f.BlockOf(user) != f.BlockOf(i) {
		return false
	}
	return f.ValueName(v) == "" || o.Is(op.Terminator) || o == op.Loop
}

// unknown hides a constant in a variable, where nobody looks into it before the code runs.
func (w *emitter) unknown(x expr) expr {
	name := w.names.name("t")
	w.line("var ", name, " = ", x.text, ";")
	return atom(name)
}

// let gives an expression a name, like that of the value if it has one.
func (w *emitter) let(v ir.Value, x expr) expr {
	hint := w.f.ValueName(v)
	if hint == "" {
		hint = memberOf(x)
	}
	name := w.names.name(hint)
	w.line("let ", name, " = ", x.text, ";")
	return expr{text: name, level: primary, constant: x.constant}
}

// memberOf returns the name of the member that an expression reads, or t.
func memberOf(x expr) string {
	if n := strings.LastIndexByte(x.text, '.'); n > 0 && x.level == primary && len(x.text)-n > 2 && !strings.ContainsAny(x.text[n+1:], "[]() ") {
		return x.text[n+1:]
	}
	return "t"
}

// flush names what waits to be nested and reads memory that is about to be written.
func (w *emitter) flush(written ir.Value) {
	kept := w.waiting[:0]
	for _, v := range w.waiting {
		x := &w.exprs[v]
		if written != anything && x.reads != anything && x.reads != written {
			kept = append(kept, v)
			continue
		}
		*x = w.let(v, *x)
	}
	w.waiting = kept
}

// part writes a part of a value or of memory. An index beyond the last part is that of the
// last in a value (IR); into memory, where WGSL refuses it, it is hidden.
func (w *emitter) part(x expr, t ir.Type, index ir.Value, isValue bool) expr {
	m := w.m
	x.operator, x.scalar = "", nil
	p := x.within(primary)
	constant, known := uint64(0), index.IsConst()
	if known {
		constant = m.ConstBits(index)
		n, sized := m.Count(t)
		switch outside := sized && constant >= uint64(n) || !sized && m.ScalarOf(m.TypeOf(index)).IsSigned() && constant > math.MaxInt32; {
		case outside && isValue:
			constant = uint64(n - 1)
		case outside:
			p.text += "[" + w.unknown(w.constant(index)).text + "]"
			return p
		}
	}
	switch {
	case m.KindOf(t) == ir.StructType:
		p.text += "." + w.memberName(t, uint32(constant))
	case known && m.IsVector(t):
		p.text += "." + "xyzw"[constant:][:1]
	case known:
		p.text += "[" + strconv.FormatUint(constant, 10)
		if constant > math.MaxInt32 {
			p.text += "u"
		}
		p.text += "]"
	default:
		i := w.take(index)
		if i.constant {
			i = w.unknown(i)
		}
		p.text += "[" + i.text + "]"
		p = p.with(i)
		p.constant = false
	}
	return p
}

// insert writes the change of a part: of a variable that holds the value from then on.
// Changes in a row are made to one variable.
func (w *emitter) insert(i ir.Inst) {
	f := w.f
	r := f.Result(i)
	args := f.Args(i)
	old, value := w.take(args[0]), w.take(args[1])
	t := f.TypeOf(args[0])
	name := old.text
	if args[0].IsLocal() && w.shared[args[0]] != 0 && f.TypeOf(args[0]) == f.TypeOf(r) && w.unread(args[0], w.uses.order[i]+1, i) {
		w.share(r, args[0])
	} else {
		hint := f.ValueName(r)
		if hint == "" {
			hint = "changed"
		}
		name = w.own(r, hint)
		w.line("var ", name, " = ", old.text, ";")
	}
	index := args[2]
	place := w.part(atom(name), t, index, true)
	if n, _ := w.m.Count(t); !index.IsConst() && !w.below(index, n) { // outside it is the last part, and WGSL may change any
		i := w.take(index)
		if w.m.ScalarOf(f.TypeOf(index)) == scalar.I32 {
			i = call("u32", []expr{i})
		}
		place = atom(name + "[" + call("min", []expr{i, atom(strconv.Itoa(int(n-1)) + "u")}).text + "]")
	}
	w.assign(place.text, value)
}

// below reports whether an index is made so that it is below a number.
func (w *emitter) below(index ir.Value, n uint32) bool {
	d, ok := w.f.Def(index)
	if o := w.f.Op(d); !ok || o != op.And && o != op.Min && o != op.Rem || w.m.ScalarOf(w.f.TypeOf(index)) != scalar.U32 {
		return false
	}
	for k, a := range w.f.Args(d) {
		x, known := w.m.ConstUint(a)
		if o := w.f.Op(d); known && (o == op.Rem && k == 1 && x > 0 && x <= uint64(n) || o != op.Rem && x < uint64(n)) {
			return true
		}
	}
	return false
}

// assign writes an assignment, with a compound operator where the value is made of what is there.
func (w *emitter) assign(place string, x expr) {
	if x.right == place && x.left != place && strings.Contains("+*&|^", x.operator) && x.operator != "" && !x.mixed {
		x.left, x.operand = place, x.left
	}
	switch {
	case x.operator == "" || x.left != place || x.level == relational:
		w.line(place, " = ", x.text, ";")
	case !x.mixed && x.operator == "+" && (x.operand == "1" || x.operand == "1u"):
		w.line(place, "++;")
	case !x.mixed && x.operator == "-" && (x.operand == "1" || x.operand == "1u"):
		w.line(place, "--;")
	default:
		w.line(place, " ", x.operator, "= ", x.operand, ";")
	}
}
