package lower

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Scratch moves large private and function variables to a storage buffer that the runtime binds
// (CUDA: local memory). The buffer has a structure of them for every invocation of the launch:
//
//	access @v, %i            access %v, %i
//
// where each function begins with %v = access @invocation.scratch, %n, 0u, and %n is the
// global_invocation_index. Drivers have a limit for such variables, and no query for it
// (workaround.Choices). The largest are moved first, and of equally large ones the first, until
// maxPrivateBytes are left. Private variables get their initial value at the kernel's start. Those
// of functions are undefined until the first store, like the buffer.
//
// A function's variable whose address a call passes becomes a private one first. opt.Specialize
// makes copies of the functions for that. WGSL has no recursion, so no function is active twice in
// an invocation. So whether a variable can be moved does not depend on inlining.
//
// The buffer's binding comes after all others. Tables comes later, so that large initial values are
// tables.
var Scratch = ScratchOver(maxPrivateBytes)

// ScratchOver is Scratch that leaves up to limit bytes.
func ScratchOver(limit uint64) opt.Pass {
	return opt.Pass{
		Name:   "scratch",
		Doc:    "move large private and function variables to a buffer with a part for each invocation",
		Needs:  ir.Bound | ir.Structured | ir.Spilled,
		Gives:  ir.Scratched,
		Breaks: ir.NoPrivate,
		Run: func(c *opt.Context, m *ir.Module) {
			if m.WithRole(ir.ScratchBuffer) == ir.NoValue && DeclaredPrivateBytes(m) > limit {
				s := opt.Scratch[scratcher](c, "scratch")
				s.m, s.limit = m, limit
				s.run(c)
			}
		},
	}
}

// run moves the variables of the module.
func (s *scratcher) run(c *opt.Context) {
	m := s.m
	s.copied, s.declared = ir.NoValue, len(m.Globals)
	errors := c.List.Errors()
	for s.collect(); s.choose(); s.collect() {
		s.makePrivate()
		if opt.Specialize.Run(c, m); c.List.Errors() > errors {
			return
		}
		for _, f := range m.Funcs {
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if f.Op(i) == op.Access {
					updateSpace(f, i)
				}
			}
		}
	}
	s.move()
}

// maxPrivateBytes is the number of bytes of an invocation's variables that stay. It is less than
// half of the 16 KiB of the smallest known driver. That driver also spills registers there, and
// copies of arrays that a loop copies.
const maxPrivateBytes = 7 << 10

// Names that no WGSL identifier equals.
const (
	ScratchName         = "invocation.scratch"
	invocationIndexName = "invocation.index"
)

// PrivateBytes visits the variables of an invocation of a kernel, with their sizes in bytes: the
// used private ones and those of functions.
func PrivateBytes(m *ir.Module, kernel *ir.Func, visit func(name string, bytes uint32)) {
	for _, v := range ir.ReachOf(m, kernel).Private {
		g := m.Global(v)
		visit(g.Name, m.Size(m.Element(g.Type)))
	}
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.Next(i) {
			if f.Op(i) == op.Var {
				visit(f.ValueName(f.Result(i)), m.Size(m.Element(f.Type(i))))
			}
		}
	}
}

// DeclaredPrivateBytes returns the bytes of all private and function variables, used or not. It is
// an upper bound of those that PrivateBytes visits.
func DeclaredPrivateBytes(m *ir.Module) (bytes uint64) {
	for n := range m.Globals {
		if t := m.Globals[n].Type; m.SpaceOf(t) == ir.Private {
			bytes += uint64(m.Size(m.Element(t)))
		}
	}
	for _, f := range m.Funcs {
		if !f.Had(&rewrite.Variables) {
			continue
		}
		for i := f.First(f.Entry); i != 0; i = f.Next(i) {
			if f.Op(i) == op.Var {
				bytes += uint64(m.Size(m.Element(f.Type(i))))
			}
		}
	}
	return bytes
}

// privateVar is a private or function variable.
type privateVar struct {
	f     *ir.Func // whose variable it is, nil for the module's
	value ir.Value
	bytes uint32
	used  bool
	// passed says that a call passes its address. fixed says that it cannot be moved, since
	// something other than memory operations uses a pointer into it.
	passed, fixed bool
	moved         bool
	member        uint32 // of the structure, if moved
	// address is its address in function in, if that is not nil.
	address ir.Value
	in      *ir.Func
}

// scratcher moves the variables of a module.
type scratcher struct {
	m         *ir.Module
	limit     uint64 // bytes that stay
	f         *ir.Func
	b         ir.Builder
	variables []privateVar // the module's, then those of one function after the other
	globals   []uint32     // by global: 1 + its index in variables, or 0
	owners    []uint32     // by local value: that of the variable it is a pointer to or into
	order     []int
	reachable []*ir.Func // functions that kernels reach, where opt.Specialize finds the calls
	buffer    ir.Value
	declared  int // the number of the program's own globals
	// start is in the current function, after its variables and the first instructions of the pass
	start ir.Inst
	// index is the invocation's index in the current function, and copied the private variable from
	// which functions load it; NoValue if not needed yet.
	index, copied ir.Value
}

// collect lists the variables and how they are used.
func (s *scratcher) collect() {
	m := s.m
	s.variables = s.variables[:0]
	s.globals = ir.Zeroed(s.globals, len(m.Globals))
	for n := range m.Globals {
		if t := m.Globals[n].Type; m.SpaceOf(t) == ir.Private {
			s.variables = append(s.variables, s.variableOf(nil, ir.GlobalValue(n), m.Element(t)))
			s.globals[n] = uint32(len(s.variables))
		}
	}
	s.reachable = s.reachable[:0]
	for _, k := range m.Kernels() {
		s.reachable = append(s.reachable, ir.ReachOf(m, k).Funcs...)
	}
	for _, f := range m.Funcs {
		s.enter(f)
		s.uses()
	}
}

// variableOf returns a variable of type t. One with fragments is in no buffer, and a subgroup holds
// it.
func (s *scratcher) variableOf(f *ir.Func, value ir.Value, t ir.Type) privateVar {
	if s.m.HoldsFragment(t) {
		return privateVar{f: f, value: value, fixed: true}
	}
	return privateVar{f: f, value: value, bytes: s.m.Size(t)}
}

// enter starts a function.
func (s *scratcher) enter(f *ir.Func) {
	s.f, s.b.F = f, f
	s.index = ir.NoValue
	s.owners = ir.Zeroed(s.owners, f.ValueCount())
}

// ownerIndex returns 1 + the index in variables of the variable that a pointer is to or into, or 0.
func (s *scratcher) ownerIndex(v ir.Value) uint32 {
	switch {
	case v.IsGlobal():
		return s.globals[v.Index()]
	case v.IsLocal() && int(v.Index()) < len(s.owners): // others are new
		return s.owners[v.Index()]
	}
	return 0
}

// owner returns the variable that a pointer is to or into, or nil.
func (s *scratcher) owner(v ir.Value) *privateVar {
	n := s.ownerIndex(v)
	if n == 0 {
		return nil
	}
	return &s.variables[n-1]
}

// uses notes how the function uses variables.
func (s *scratcher) uses() {
	f, m := s.f, s.m
	reachable := slices.Contains(s.reachable, f)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o == op.Var {
			v := s.variableOf(f, f.Result(i), m.Element(f.Type(i)))
			v.used = true
			s.variables = append(s.variables, v)
			s.owners[f.Result(i).Index()] = uint32(len(s.variables))
		}
		for n, a := range f.Args(i) {
			v := s.owner(a)
			if v == nil {
				continue
			}
			v.used = true
			switch does := o.Operand(n); {
			case o == op.Access:
				s.owners[f.Result(i).Index()] = s.ownerIndex(a)
			case does != 0 && does&^(op.Reads|op.Writes) == 0:
			case o == op.Call:
				v.passed, v.fixed = true, v.fixed || a != v.value || !reachable
			default:
				v.fixed = true
			}
		}
	}
}

// choose sets moved, and reports whether a call passes the address of a moved variable.
func (s *scratcher) choose() (passed bool) {
	s.order = s.order[:0]
	left, moved := uint64(0), uint64(0)
	for n := range s.variables {
		if v := &s.variables[n]; v.used {
			left += uint64(v.bytes)
			if !v.fixed && !s.m.HoldsFragment(s.m.Element(s.typeOf(v))) { // no buffer has fragments
				s.order = append(s.order, n)
			}
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.variables[b].bytes, s.variables[a].bytes) })
	for _, n := range s.order {
		v := &s.variables[n]
		// a buffer's structure has less than 4 GiB, and no launch could bind a larger one
		if left <= s.limit || moved+uint64(v.bytes) > math.MaxUint32/2 {
			break
		}
		v.moved = true
		left, moved = left-uint64(v.bytes), moved+uint64(v.bytes)
		passed = passed || v.passed
	}
	return passed
}

// makePrivate replaces moved function variables whose address a call passes by private variables.
func (s *scratcher) makePrivate() {
	m := s.m
	for n := range s.variables {
		v := &s.variables[n]
		if !v.moved || !v.passed || v.f == nil {
			continue
		}
		f := v.f
		private := m.AddGlobal(ir.Global{Name: f.ValueName(v.value), Span: f.Span,
			Type: m.PointerTo(ir.Private, m.Element(f.TypeOf(v.value)), ir.ReadWrite)})
		f.Replace(v.value, private)
	}
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0 && f.Op(i) == op.Var; {
			next := f.Next(i)
			if r := f.Result(i); f.Resolve(r) != r {
				f.Remove(i)
			}
			i = next
		}
		f.ApplyReplacements()
	}
}

// updateSpace gives an access the address space of its base.
func updateSpace(f *ir.Func, access ir.Inst) {
	m := f.Module
	base, t := f.TypeOf(f.Arg(access, 0)), f.Type(access)
	if m.SpaceOf(base) != m.SpaceOf(t) {
		f.SetType(f.Result(access), m.PointerTo(m.SpaceOf(base), m.Element(t), m.AccessOf(base)))
	}
}

// move replaces the chosen variables, if there are any.
func (s *scratcher) move() {
	m := s.m
	var members []ir.Member
	var aligns []uint32
	for n := range s.variables {
		v := &s.variables[n]
		if v.moved {
			t := m.Element(s.typeOf(v))
			v.member = uint32(len(members))
			members, aligns = append(members, ir.Member{Name: s.nameOf(v), Type: t}), append(aligns, m.VariableAlign(t))
		}
	}
	if len(members) == 0 {
		return
	}
	size, align := m.LayoutStruct(members, aligns, nil)
	parts := m.ArrayOf(m.NewStruct(ScratchName, members, size, align), ir.NoValue)
	g := ir.Global{Name: ScratchName, Bound: true, Role: ir.ScratchBuffer, Type: m.PointerTo(ir.Storage, parts, ir.ReadWrite)}
	BindLast(m, &g)
	s.buffer = m.AddGlobal(g)
	s.globals = append(s.globals, 0)
	own := 0
	for own < len(s.variables) && s.variables[own].f == nil {
		own++
	}
	rest := own
	for _, f := range m.Funcs {
		s.enter(f)
		for ; rest < len(s.variables) && s.variables[rest].f == f; rest++ {
			s.owners[s.variables[rest].value.Index()] = uint32(rest + 1)
		}
		s.start = rewrite.AfterVars(f)
		if f.Kernel {
			s.initialise(s.variables[:own])
		}
		s.replace()
	}
}

// typeOf returns the type of a variable's address.
func (s *scratcher) typeOf(v *privateVar) ir.Type {
	if v.f == nil {
		return s.m.TypeOf(v.value)
	}
	return v.f.TypeOf(v.value)
}

// nameOf returns a variable's name in the source, "" if it has none.
func (s *scratcher) nameOf(v *privateVar) string {
	if v.f == nil {
		return s.m.Global(v.value).Name
	}
	return v.f.ValueName(v.value)
}

// replace replaces the moved variables in the function.
func (s *scratcher) replace() {
	f := s.f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		o := f.Op(i)
		if o == op.Var && s.owner(f.Result(i)).moved {
			f.Remove(i)
			i = next
			continue
		}
		for n := range f.Args(i) {
			if v := s.owner(f.Arg(i, n)); v != nil && v.moved {
				f.SetArg(i, n, s.address(v))
			}
		}
		if o == op.Access {
			updateSpace(f, i)
		}
		i = next
	}
}

// address returns the address of a moved variable, which is computed at the start of the function.
func (s *scratcher) address(v *privateVar) ir.Value {
	if v.in != s.f {
		v.in = s.f
		index := s.invocation()
		s.b.SetBefore(s.start)
		s.b.Span = s.f.Span
		v.address = s.b.AccessWithin(s.buffer, index, s.m.ConstU32(v.member))
	}
	return v.address
}

// invocation returns the index of the invocation in the launch. It is a parameter of the kernel,
// and functions load it from a private variable that the kernel sets.
func (s *scratcher) invocation() ir.Value {
	if s.index != ir.NoValue {
		return s.index
	}
	f, m := s.f, s.m
	if f.Kernel {
		s.index = rewrite.Builtin(f, ir.GlobalInvocationIndex, invocationIndexName)
		return s.index
	}
	if s.copied == ir.NoValue {
		s.copied = rewrite.CopiedBuiltin(m, ir.GlobalInvocationIndex, invocationIndexName)
		s.globals = append(s.globals, 0)
	}
	s.b.SetBefore(s.start)
	s.b.Span = f.Span
	s.index = s.b.Load(s.copied)
	return s.index
}

// initialise builds, at a kernel's start, the stores of the initial values of moved private
// variables. Those that were function variables have none.
func (s *scratcher) initialise(variables []privateVar) {
	m := s.m
	for n := range variables {
		v := &variables[n]
		if !v.moved || int(v.value.Index()) >= s.declared {
			continue
		}
		g := m.Global(v.value)
		address := s.address(v)
		s.b.Span = g.Span
		s.b.Store(address, cmp.Or(g.Init, m.Zero(m.Element(g.Type))))
	}
}
