package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds the functions whose calls pin variables of an invocation in memory. A variable
// that is passed by its address cannot become values. Nor can a private module variable that a
// called function uses, or an array that a called function indexes by a parameter. Inlined, they
// can. So Inline copies these functions whatever its budget for large functions says: that budget
// may cost speed, but never leave an array in memory that registers could hold.
//
//	fn quarter(s: ptr<function, array<u32, 16>>, a: u32, b: u32)   quarter(&s, 0, 4): s[a] is s[0]
//
// It does not pay for variables that stay in memory anyhow, as a stack does that is indexed by what
// was loaded. An index is fixed if it is made of constants, of parameters that all calls pass fixed
// values for, and of local variables that hold fixed values. Counts of loops are such variables.
// That they do become constants is not proved: whether a loop is unrolled is found out later. The
// price of a wrong guess is size, within maxPinned.

// maxPinned is how many instructions a function may come to by calls that pin variables. It is a
// limit for safety, far beyond real programs: BLAKE3 comes to 2,000.
const maxPinned = 1 << 14

// pinning is what is known of the functions of a module.
type pinning struct {
	m     *ir.Module
	graph *callGraph
	f     *ir.Func
	k     uint32 // its index
	// first is where a function's parameters begin in the lists of parameters.
	first []int
	// fixed says of each parameter whether all calls pass a fixed value.
	fixed []bool
	// indexed says of each pointer that it leads to an access with an index that is not fixed.
	indexed []bool
	// promotable says of each pointer that some call passes a variable that can become values.
	promotable []bool
	// globals are the private module variables.
	globals []pinnedGlobal
	// pins says by function whether its calls pin a variable, and counted whether they do because
	// of its parameters. private says whether it or what it calls uses a private module variable.
	pins, counted, private []bool
	// stays says by function that its calls stay nevertheless.
	stays []bool
	size  pinnedSize

	state  []uint8 // by value of the current function: what is known of it
	stored []varUse
	heads  []uint32 // by value: the first of the stores into a variable
	kept   []bool   // by value: a variable that stays in memory
}

type pinnedGlobal struct{ candidate, written, indexed bool }

// What is known of a value. While it is looked at, it counts as fixed.
const (
	unseenValue = iota
	fixedValue
	otherValue
)

// analyse looks at the functions that the kernels reach, of given sizes, and reports whether a call
// pins a variable.
func (p *pinning) analyse(c *Context, m *ir.Module, graph *callGraph, sizes []int) bool {
	p.m, p.graph = m, graph
	p.stays = ir.Zeroed(p.stays, len(m.Funcs))
	if !p.find() {
		return false
	}
	p.fit(c, sizes)
	return slices.Contains(p.pins, true)
}

// stay leaves the calls of a function, and says so in a report.
func (p *pinning) stay(c *Context, k uint32, instructions, most int) {
	p.stays[k], p.pins[k] = true, false
	f := p.m.Funcs[k]
	if call := (Call{f.Name, f.Span, instructions, most}); c.Survey != nil && !slices.Contains(c.Survey.Calls, call) {
		c.Survey.Calls = append(c.Survey.Calls, call)
	}
}

// find finds the functions that pin variables, and reports whether there are any.
func (p *pinning) find() (some bool) {
	if !p.begin() {
		return false
	}
	sorted := p.graph.sorted
	for _, k := range slices.Backward(sorted) {
		p.enter(k)
		p.passes()
	}
	for _, k := range sorted {
		p.enter(k)
		p.indexes()
	}
	for _, k := range slices.Backward(sorted) {
		p.enter(k)
		p.promotes()
	}
	for _, k := range sorted {
		p.enter(k)
		p.calls()
		some = some || p.pins[k]
	}
	return some
}

// begin makes room, and reports whether there is anything that a call could pin.
func (p *pinning) begin() (some bool) {
	m, n := p.m, len(p.m.Funcs)
	p.first = ir.Zeroed(p.first, n)
	p.pins, p.counted, p.private = ir.Zeroed(p.pins, n), ir.Zeroed(p.counted, n), ir.Zeroed(p.private, n)
	params := 0
	for _, k := range p.graph.sorted {
		f := m.Funcs[k]
		p.first[k] = params
		params += len(f.Params(f.Entry))
		if !f.Kernel {
			p.pins[k] = p.passesArrays(f)
			some = some || p.pins[k] || p.mayPin(f)
		}
	}
	p.globals = ir.Zeroed(p.globals, len(m.Globals))
	for n := range m.Globals {
		t := m.Globals[n].Type
		if m.SpaceOf(t) == ir.Private && p.fits(m.Element(t)) {
			p.globals[n].candidate = true
			some = true
		}
	}
	p.fixed, p.indexed, p.promotable = ir.Zeroed(p.fixed, params), ir.Zeroed(p.indexed, params), ir.Zeroed(p.promotable, params)
	for _, k := range p.graph.sorted {
		f := m.Funcs[k]
		for n := range f.Params(f.Entry) {
			p.fixed[p.first[k]+n] = !f.Kernel
		}
	}
	return some
}

// mayPin reports whether a function has parameters that point to an invocation's memory, or that
// may index an array of its own.
func (p *pinning) mayPin(f *ir.Func) bool {
	params := f.Params(f.Entry)
	if slices.ContainsFunc(params, func(v ir.Value) bool { return isOwnMemory(p.m, f.TypeOf(v)) }) {
		return true
	}
	for i := f.First(f.Entry); i != 0 && len(params) > 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Var && p.holdsArray(p.m.Element(f.Type(i))) {
			return true
		}
	}
	return false
}

// fits reports whether a variable of a type is small enough to become values.
func (p *pinning) fits(t ir.Type) bool {
	n, ok := p.m.Slots(t)
	return ok && n <= ir.PromotedSlots
}

// passesArrays reports whether a function has array parameters or an array result.
func (p *pinning) passesArrays(f *ir.Func) bool {
	return p.holdsArray(f.ResultType) ||
		slices.ContainsFunc(f.Params(f.Entry), func(v ir.Value) bool { return p.holdsArray(f.TypeOf(v)) })
}

// holdsArray reports whether values of a type hold an array and are small enough to be split.
func (p *pinning) holdsArray(t ir.Type) bool {
	m := p.m
	switch m.KindOf(t) {
	case ir.ArrayType:
		return p.fits(t)
	case ir.StructType:
		return p.fits(t) && slices.ContainsFunc(m.Members(t), func(member ir.Member) bool { return p.holdsArray(member.Type) })
	}
	return false
}

// isOwn reports whether a pointer leads to memory of one invocation.
func (p *pinning) isOwn(v ir.Value) bool {
	return isOwnMemory(p.m, p.f.TypeOf(v))
}

// isOwnMemory reports whether values of a type are pointers to memory of one invocation.
func isOwnMemory(m *ir.Module, t ir.Type) bool {
	return m.KindOf(t) == ir.PointerType && (m.SpaceOf(t) == ir.Function || m.SpaceOf(t) == ir.Private)
}

// enter begins with a function: it finds what is stored in its variables.
func (p *pinning) enter(k uint32) {
	f := p.m.Funcs[k]
	p.f, p.k = f, k
	p.state = ir.Zeroed(p.state, f.ValueCount())
	p.heads = ir.Zeroed(p.heads, f.ValueCount())
	p.stored = append(p.stored[:0], varUse{})
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			if !o.WritesOperand(n) && o != op.Call {
				continue
			}
			if root := rootOf(f, a); f.DefOp(root) == op.Var {
				p.stored = append(p.stored, varUse{i, p.heads[root]})
				p.heads[root] = uint32(len(p.stored) - 1)
			}
		}
	}
}

// isFixed reports whether a value of the current function is fixed.
func (p *pinning) isFixed(v ir.Value) bool {
	if !v.IsLocal() {
		return v.IsConst()
	}
	if p.state[v] == unseenValue {
		p.state[v] = fixedValue
		if !p.madeOfFixed(v) {
			p.state[v] = otherValue
		}
	}
	return p.state[v] == fixedValue
}

func (p *pinning) madeOfFixed(v ir.Value) bool {
	f := p.f
	i, ok := f.Def(v)
	if !ok { // a parameter of a loop or of the function
		k := slices.Index(f.Params(f.Entry), v)
		return k < 0 || p.fixed[p.first[p.k]+k]
	}
	switch o := f.Op(i); {
	case o == op.Load:
		return p.holdsFixed(rootOf(f, f.Arg(i, 0)))
	case o.Is(op.Control):
		return false
	case o == op.Call, o.Pure():
		return !slices.ContainsFunc(f.Args(i), func(a ir.Value) bool { return !p.isFixed(a) })
	}
	return false
}

// holdsFixed reports whether a variable holds nothing but what is fixed.
func (p *pinning) holdsFixed(root ir.Value) bool {
	f := p.f
	if root.IsGlobal() {
		return p.globals[root.Index()].candidate && !p.globals[root.Index()].written
	}
	if f.DefOp(root) != op.Var {
		return false
	}
	// The state of a variable is that of what it holds: variables may be copied to each other.
	if p.state[root] == unseenValue {
		p.state[root] = fixedValue
		if !p.storesFixed(root) {
			p.state[root] = otherValue
		}
	}
	return p.state[root] == fixedValue
}

// storesFixed reports whether all that is stored in a variable is fixed.
func (p *pinning) storesFixed(root ir.Value) bool {
	f := p.f
	for u := p.heads[root]; u != 0; u = p.stored[u].next {
		switch i := p.stored[u].inst; f.Op(i) {
		case op.Store:
			if !p.isFixed(f.Arg(i, 1)) {
				return false
			}
		case op.Copy:
			if from := rootOf(f, f.Arg(i, 1)); from != root && !p.holdsFixed(from) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// passes notes which parameters of what a function calls are fixed, and what it does with private
// variables.
func (p *pinning) passes() {
	f := p.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			if o == op.Call && !p.isOwn(a) && !p.isFixed(a) {
				p.fixed[p.first[f.Aux(i)]+n] = false
			}
			if root := rootOf(f, a); root.IsGlobal() && o.WritesOperand(n) {
				p.globals[root.Index()].written = true
			}
		}
	}
}

// indexes notes which pointers lead to accesses with indices that are not fixed.
func (p *pinning) indexes() {
	f, k := p.f, p.k
	params := f.Params(f.Entry)
	counts := slices.ContainsFunc(p.fixed[p.first[k]:p.first[k]+len(params)], func(fixed bool) bool { return fixed })
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if p.stays[k] {
			p.pinsGlobals(i)
		}
		for root := range p.unfixed(i) {
			if root.IsGlobal() {
				p.globals[root.Index()].indexed = true
			} else if n := slices.Index(params, root); n >= 0 {
				p.indexed[p.first[k]+n] = true
			}
		}
		if counts && !f.Kernel && f.Op(i) == op.Access && hasDynamicIndex(f, i) {
			if root := rootOf(f, f.Arg(i, 0)); f.DefOp(root) == op.Var && p.holdsArray(p.m.Element(f.TypeOf(root))) {
				p.counted[k] = true
			}
		}
	}
}

// pinsGlobals notes that a private module variable stays in memory with a call.
func (p *pinning) pinsGlobals(i ir.Inst) {
	for _, a := range p.f.Args(i) {
		if a.IsGlobal() {
			p.globals[a.Index()].indexed = true
		}
	}
}

// unfixed yields the variables that an instruction keeps in memory, or the parameters that lead to
// such. It does so by an index that is not fixed, or by a call that leads to one.
func (p *pinning) unfixed(i ir.Inst) func(func(ir.Value) bool) {
	f := p.f
	return func(yield func(ir.Value) bool) {
		switch f.Op(i) {
		case op.Access:
			base := f.Arg(i, 0)
			if p.isOwn(base) && slices.ContainsFunc(f.Args(i)[1:], func(a ir.Value) bool { return !p.isFixed(a) }) {
				yield(rootOf(f, base))
			}
		case op.Call:
			for n, a := range f.Args(i) {
				if p.isOwn(a) && (p.stays[f.Aux(i)] || p.indexed[p.first[f.Aux(i)]+n]) && !yield(rootOf(f, a)) {
					return
				}
			}
		}
	}
}

// promotes notes to which functions a function passes variables that can become values.
func (p *pinning) promotes() {
	f, k := p.f, p.k
	params := f.Params(f.Entry)
	p.kept = ir.Zeroed(p.kept, f.ValueCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for root := range p.unfixed(i) {
			if root.IsLocal() {
				p.kept[root] = true
			}
		}
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Call {
			continue
		}
		for n, a := range f.Args(i) {
			if !p.isOwn(a) {
				continue
			}
			root := rootOf(f, a)
			can := false
			if root.IsGlobal() {
				can = p.isPinned(root.Index())
			} else if at := slices.Index(params, root); at >= 0 {
				can = p.promotable[p.first[k]+at]
			} else {
				can = !p.kept[root] && p.fits(p.m.Element(f.TypeOf(root)))
			}
			if can {
				p.promotable[p.first[f.Aux(i)]+n] = true
				p.pins[f.Aux(i)] = true
			}
		}
	}
}

// isPinned reports whether a private module variable can become values where it is a kernel's
// alone.
func (p *pinning) isPinned(n uint32) bool {
	g := &p.globals[n]
	return g.candidate && g.written && !g.indexed
}

// calls notes whether a function pins something because of what it calls or uses.
func (p *pinning) calls() {
	f, k := p.f, p.k
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Call {
			p.private[k] = p.private[k] || p.private[f.Aux(i)]
			p.counted[k] = p.counted[k] || p.counted[f.Aux(i)] && len(f.Params(f.Entry)) > 0
		}
		for _, a := range f.Args(i) {
			p.private[k] = p.private[k] || a.IsGlobal() && p.isPinned(a.Index())
		}
	}
	p.pins[k] = !f.Kernel && !p.stays[k] && (p.pins[k] || p.private[k] || p.counted[k])
}
