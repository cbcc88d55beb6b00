package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Setting gives an override its value. Key is the override's name or its number
// in decimal. A bool is given as 0 or 1.
type Setting struct {
	Key   string
	Value float64
}

// Check is an override expression that is evaluated when overrides are bound although
// no instruction uses it: what the source computes must be valid all the same. With a
// message it is a condition, a bool that must be true.
type Check struct {
	Value Value
	// Message says what the condition requires, in words that follow "with the values given". Each
	// {} in it is replaced by one of Shown, integers that are constants or overrides.
	Message string
	Shown   []Value
}

// BindOverrides replaces the overrides that the module's functions use by
// constants: the given values, else the defaults. It reports values that do not
// fit, keys that name no override, overrides without any value, and expressions
// that fail when evaluated, as pipeline creation does (WGSL §8.2.2). Overrides
// that no function uses stay as they are.
func BindOverrides(m *Module, settings []Setting, list *diag.List) {
	if m == nil || len(m.Overrides) == 0 && len(settings) == 0 {
		return
	}
	n := len(m.Overrides)
	b := &binder{m: m, list: diag.Some(list), given: make([]Value, n), state: make([]uint8, n), needed: make([]bool, n)}
	b.bind(settings)
}

// BoundOverride is an override that a program names, with its value.
type BoundOverride struct {
	*Override
	Bits uint64
}

// OverridesOf returns the overrides on which a kernel depends, in the order of their declarations,
// with the values that BindOverrides gives them. There are none if that fails. The module is not
// changed.
func OverridesOf(m *Module, kernel string, settings []Setting) (bound []BoundOverride) {
	if m == nil || len(m.Overrides) == 0 || m.Func(kernel) == nil {
		return nil
	}
	m = m.Clone()
	Isolate(m, m.Func(kernel))
	n := len(m.Overrides)
	b := &binder{m: m, list: new(diag.List), given: make([]Value, n), state: make([]uint8, n), needed: make([]bool, n)}
	if b.bind(settings); b.list.Errors() > 0 {
		return nil
	}
	for i := range m.Overrides {
		if o := &m.Overrides[i]; o.Op == op.Invalid && b.needed[i] {
			bound = append(bound, BoundOverride{o, m.ConstBits(b.given[i])})
		}
	}
	return bound
}

// bind binds the overrides of the module.
func (b *binder) bind(settings []Setting) {
	m, list := b.m, b.list
	errors := list.Errors()
	for _, s := range settings {
		b.give(s)
	}
	if len(m.Overrides) == 0 || list.Errors() > errors {
		return
	}
	for _, f := range m.Funcs {
		for i := range f.Checks {
			b.check(&f.Checks[i])
		}
		for i := range f.Workgroup {
			f.Workgroup[i] = b.value(f.Workgroup[i])
		}
		f.SubgroupSize = b.value(f.SubgroupSize)
		b.function(f)
	}
	for i := range m.Globals {
		if g := &m.Globals[i]; g.Init.IsOverride() {
			if x := b.value(g.Init); x != 0 {
				g.Init = x
			}
		}
	}
	if list.Errors() > errors {
		return
	}
	b.types()
	for _, f := range m.Funcs {
		f.Checks = f.Checks[:0]
		f.ApplyReplacements() // for the indices that are constant now
	}
}

type binder struct {
	m      *Module
	list   *diag.List
	given  []Value // by override: its value once known
	state  []uint8 // 0 untouched, 1 has a value, 2 failed
	needed []bool  // whether something depends on it
}

func (b *binder) fail(v Value, code diag.Code, format string, args ...any) Value {
	i := v.Index()
	if b.state[i] != 2 {
		b.state[i] = 2
		b.list.Add(diag.Diagnostic{Code: code, Span: b.m.Overrides[i].Span, Message: fmt.Sprintf(format, args...)})
	}
	return 0
}

// give notes the value of a setting.
func (b *binder) give(s Setting) {
	for i := range b.m.Overrides {
		o := &b.m.Overrides[i]
		if o.Op != op.Invalid || o.Name != s.Key && (o.ID < 0 || strconv.Itoa(int(o.ID)) != s.Key) {
			continue
		}
		v := OverrideValue(i)
		k := scalar.Kind(o.Type)
		switch {
		case k == scalar.Bool:
			b.given[i] = b.m.ConstBool(s.Value != 0)
		case k.IsInteger():
			bits := scalar.FromInt64(k, int64(s.Value))
			if float64(scalar.ToInt64(k, bits)) != math.Trunc(s.Value) {
				b.fail(v, diag.InvalidOverride, "the value %v of override `%s` is out of range of %s", s.Value, s.Key, k)
				return
			}
			b.given[i] = b.m.ConstScalar(o.Type, bits)
		default:
			bits, problem := eval.CheckConvert(k, scalar.AbstractFloat, scalar.FromFloat64(scalar.AbstractFloat, s.Value))
			if problem != eval.OK {
				b.fail(v, diag.InvalidOverride, "the value %v of override `%s` %s", s.Value, s.Key, problem.For(k))
				return
			}
			b.given[i] = b.m.ConstScalar(o.Type, bits)
		}
		b.state[i] = 1
		return
	}
	var names []string
	for i := range b.m.Overrides {
		if o := &b.m.Overrides[i]; o.Op == op.Invalid {
			names = append(names, "`"+o.Name+"`")
		}
	}
	d := diag.Diagnostic{Code: diag.UnknownOverride, Message: "the program has no override `" + s.Key + "`"}
	if len(names) > 0 {
		note := "its overrides are"
		for i, name := range names {
			if i > 0 {
				note += ","
			}
			note += " " + name
		}
		d.Notes = append(d.Notes, diag.Note{Message: note})
	}
	b.list.Add(d)
}

// value returns the constant for an override, or v itself if it is none. The
// answer is 0 once evaluation has failed.
func (b *binder) value(v Value) Value {
	if !v.IsOverride() {
		return v
	}
	i := v.Index()
	b.needed[i] = true
	switch b.state[i] {
	case 1:
		return b.given[i]
	case 2:
		return 0
	}
	o := &b.m.Overrides[i]
	args := b.m.OverrideArgs(v)
	if o.Op == op.Invalid {
		if len(args) == 0 {
			return b.fail(v, diag.MissingOverride, "override `%s` has no default and no value was given", o.Name)
		}
		return b.set(v, b.value(args[0]))
	}
	if o.Lazy { // select(condition, x, y) that evaluates only what it chooses
		condition := b.value(args[0])
		if condition == 0 {
			return b.set(v, 0)
		}
		if b.m.ConstBits(condition) != 0 {
			return b.set(v, b.value(args[1]))
		}
		return b.set(v, b.value(args[2]))
	}
	var small [4]Value
	known := small[:0]
	for _, a := range args {
		x := b.value(a)
		if x == 0 {
			return b.set(v, 0)
		}
		known = append(known, x)
	}
	folded, why := b.m.Evaluate(o.Op, o.Type, o.Aux, known)
	if folded == NoValue {
		return b.fail(v, diag.InvalidOverride, "with the values given, the expression %s", why)
	}
	return b.set(v, folded)
}

// check evaluates what a function has to check, and reports a condition that does not
// hold.
func (b *binder) check(c *Check) {
	holds := b.value(c.Value)
	if holds == 0 || c.Message == "" || b.m.ConstBits(holds) != 0 {
		return
	}
	message := c.Message
	for _, v := range c.Shown {
		if v = b.value(v); v != 0 {
			x := scalar.ToInt64(b.m.ScalarOf(b.m.TypeOf(v)), b.m.ConstBits(v))
			message = strings.Replace(message, "{}", strconv.FormatInt(x, 10), 1)
		}
	}
	b.fail(c.Value, diag.InvalidOverride, "with the values given, %s", message)
}

func (b *binder) set(v, value Value) Value {
	b.given[v.Index()] = value
	b.state[v.Index()] = 1
	if value == 0 {
		b.state[v.Index()] = 2
	}
	return value
}

func (b *binder) function(f *Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a.IsOverride() {
				if x := b.value(a); x != 0 {
					f.SetArg(i, n, x)
				}
			}
		}
	}
}

// types replaces arrays whose count is an override, and all types made of them.
func (b *binder) types() {
	m := b.m
	values := m.retype(func(t Type, r *typeRecord) {
		switch r.kind {
		case ArrayType:
			if count := Value(r.b); count.IsOverride() {
				if b.state[count.Index()] == 0 && !m.usesType(t) {
					return
				}
				if n := b.value(count); n != 0 && b.count(count, n, r.c) {
					r.b = uint32(m.ConstU32(uint32(m.ConstBits(n))))
				}
			}
		case BufferType:
			size := Value(r.b)
			if !size.IsOverride() || b.state[size.Index()] == 0 && !m.usesType(t) {
				return
			}
			if n := b.value(size); n != 0 {
				r.b = uint32(m.ConstU32(uint32(m.ConstBits(n))))
			}
		}
	})
	if values == nil {
		return
	}
	for n, v := range b.given {
		if v.IsConst() {
			b.given[n] = values[v.Index()]
		}
	}
}

// IntegerAtomics gives atomics of some kinds the types of atomics of unsigned integers, which have
// the same size. The accesses to them have to be those of integers already.
func (m *Module) IntegerAtomics(kinds scalar.Set) {
	m.retype(func(_ Type, r *typeRecord) {
		if k := scalar.Kind(r.a); r.kind == AtomicType && kinds.Has(k) {
			r.a = uint32(scalar.Unsigned(k.Bits()))
		}
	})
}

// retype changes the records of types by a function, and with them all types made of those.
// Structures keep their types, and get other members. It returns the constants' Values by their old
// numbers, or nil if nothing has changed. A type is made after those it consists of, so one walk in
// order suffices.
func (m *Module) retype(change func(t Type, r *typeRecord)) (values []Value) {
	changed := false
	to := make([]Type, len(m.types))
	for t := range to {
		to[t] = Type(t)
		r := m.types[t]
		switch r.kind {
		case VectorType, MatrixType, AtomicType, PointerType, ArrayType:
			r.a = uint32(to[r.a])
		case StructType:
			for n := range m.Members(Type(t)) {
				member := &m.Members(Type(t))[n]
				member.Type = to[member.Type]
			}
			continue
		}
		if change(Type(t), &r); r != m.types[t] {
			to[t] = m.internType(r)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	values = m.retypeConsts(to)
	renumbered := func(v Value) Value {
		if v.IsConst() {
			return values[v.Index()]
		}
		return v
	}
	renumber := func(list []Value) {
		for n, v := range list {
			list[n] = renumbered(v)
		}
	}
	renumber(m.overrideArgs)
	for i := range m.Globals {
		g := &m.Globals[i]
		g.Type, g.Init = to[g.Type], renumbered(g.Init)
	}
	for _, f := range m.Funcs {
		f.ResultType = to[f.ResultType]
		renumber(f.pool)
		renumber(f.forward)
		for i := range f.insts {
			r := &f.insts[i]
			r.typ = to[r.typ]
			if r.argCount != pooled {
				renumber(r.args[:r.argCount])
			}
		}
		for i := range f.values {
			f.values[i].typ = to[f.values[i].typ]
		}
	}
	return values
}

// usesType reports whether a variable's type contains t.
func (m *Module) usesType(t Type) bool {
	searched := map[Type]bool{} // structures may be nested like a binary tree
	for i := range m.Globals {
		if g := &m.Globals[i]; m.containsType(g.Type, t, searched) {
			return true
		}
	}
	return false
}

func (m *Module) containsType(outer, t Type, searched map[Type]bool) bool {
	if outer == t {
		return true
	}
	switch r := &m.types[outer]; r.kind {
	case ArrayType, PointerType:
		return m.containsType(Type(r.a), t, searched)
	case StructType:
		if searched[outer] {
			return false
		}
		searched[outer] = true
		for _, member := range m.Members(outer) {
			if m.containsType(member.Type, t, searched) {
				return true
			}
		}
	}
	return false
}

// count checks an array's element count; the stride is in bytes.
func (b *binder) count(v, n Value, stride uint32) bool {
	k := b.m.ScalarOf(b.m.TypeOf(n))
	if x := scalar.ToInt64(k, b.m.ConstBits(n)); x < 1 {
		b.fail(v, diag.InvalidOverride, "with the values given, the array has %d elements; it needs at least one", x)
		return false
	} else if x > (TooLarge-1)/max(int64(stride), 1) {
		b.fail(v, diag.InvalidOverride, "with the values given, the array has %d elements of %d bytes; it may have %d bytes", x, stride, uint32(TooLarge-1))
		return false
	}
	return true
}
