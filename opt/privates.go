package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file makes private module variables local to the kernels that use them. Private memory
// belongs to one invocation, in which a kernel runs once. So a variable of the kernel that is first
// set to the initial value is equivalent. Unlike the module's variable it can be split and
// promoted. Functions that are still called share the module's variable with their callers; what
// they use stays.

// privateUse says how the module uses a private variable.
type privateUse struct {
	byCallee, written, indexed bool
}

func (s *splitter) localizePrivates(m *ir.Module) {
	s.users = ir.Zeroed(s.users, len(m.Globals))
	any := false
	for n := range m.Globals {
		any = any || m.SpaceOf(m.Globals[n].Type) == ir.Private
	}
	if !any {
		return
	}
	for _, f := range m.Funcs {
		s.f = f
		s.usePrivates()
	}
	for _, f := range m.Funcs {
		if f.Kernel {
			s.f = f
			s.localize()
		}
	}
}

// isLocalized reports whether the variable with this index is to be replaced: one that is promoted
// then, or written. A table that is only read stays one.
func (s *splitter) isLocalized(n uint32) bool {
	m := s.f.Module
	g := &m.Globals[n]
	if m.SpaceOf(g.Type) != ir.Private || s.users[n].byCallee {
		return false
	}
	slots, ok := m.Slots(m.Element(g.Type))
	return ok && slots <= ir.PromotedSlots && (s.users[n].written || !s.users[n].indexed)
}

func (s *splitter) usePrivates() {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			if o.WritesOperand(n) {
				if root := rootOf(f, a); root.IsGlobal() {
					s.users[root.Index()].written = true
				}
			}
			if !a.IsGlobal() {
				continue
			}
			use := &s.users[a.Index()]
			use.byCallee = use.byCallee || !f.Kernel || o.Is(op.Anywhere)
			use.indexed = use.indexed || o == op.Access && hasDynamicIndex(f, i)
		}
	}
}

// hasDynamicIndex reports whether an access has an index that is not constant.
func hasDynamicIndex(f *ir.Func, access ir.Inst) bool {
	for _, index := range f.Args(access)[1:] {
		if !index.IsConst() {
			return true
		}
	}
	return false
}

// localize replaces the variables in one kernel.
func (s *splitter) localize() {
	f := s.f
	m := f.Module
	s.locals = ir.Zeroed(s.locals, len(m.Globals))
	s.private = s.private[:0]
	s.replacePrivates()
	if len(s.private) == 0 {
		return
	}
	at := f.First(f.Entry)
	for f.Op(at) == op.Var {
		at = f.Next(at)
	}
	for _, v := range s.private {
		g := m.Global(v)
		init := g.Init
		if init == 0 {
			init = m.Zero(m.Element(g.Type))
		}
		f.InsertBefore(at, f.NewInst(op.Store, ir.Void, 0, g.Span, s.locals[v.Index()], init))
	}
}

// replacePrivates puts variables, made when first met, instead of private
// ones. Pointers into them get the function's address space.
func (s *splitter) replacePrivates() {
	f := s.f
	m := f.Module
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			if !a.IsGlobal() || !s.isLocalized(a.Index()) {
				continue
			}
			if s.locals[a.Index()] == 0 {
				g := m.Global(a)
				made := f.NewInst(op.Var, m.PointerTo(ir.Function, m.Element(g.Type), ir.ReadWrite), 0, g.Span)
				f.InsertBefore(f.First(f.Entry), made)
				f.SetName(f.Result(made), g.Name)
				s.locals[a.Index()] = f.Result(made)
				s.private = append(s.private, a)
			}
			f.SetArg(i, n, s.locals[a.Index()])
		}
		if o == op.Access {
			p := f.TypeOf(f.Result(i))
			if base := f.TypeOf(f.Arg(i, 0)); m.SpaceOf(p) != m.SpaceOf(base) {
				f.SetType(f.Result(i), m.PointerTo(m.SpaceOf(base), m.Element(p), m.AccessOf(base)))
			}
		}
	}
}
