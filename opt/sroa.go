package opt

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Sroa is scalar replacement of aggregates (LLVM's SROA). It replaces variables of composite type
// by one variable for each part, level by level, as long as every access names a constant part.
// Only large arrays are left alone (ir.PromotedSlots). Loads and stores of the variable become
// loads and stores of the parts joined by construct and extract. Vectors are split only if nothing
// uses all components at once: mem2reg promotes them as they are.
//
// A composite loaded from other memory of which only some parts are used is
// loaded by part (narrow.go).
//
// Before that, private variables that only one function uses, a kernel, become
// variables of that function, with their initial value stored at its start.
var Sroa = Pass{
	Name:   "sroa",
	Doc:    "scalar replacement of aggregates: split composite variables into one for each part",
	Needs:  ir.Structured,
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[splitter](c, "sroa")
		s.localizePrivates(m)
		for _, f := range m.Funcs {
			s.run(f)
			s.narrow(f)
		}
	},
}

type splitter struct {
	f *ir.Func
	// first is, by local value, the first use of a variable; uses chain.
	first []uint32
	uses  []varUse
	work  []ir.Inst
	parts []ir.Value
	room  int // for instructions that splitting adds

	narrowed  []bool   // by value: a load of which only parts are used
	usedParts []uint64 // by value: which of its parts, as far as 64 bits tell

	users   []privateUse // by global
	locals  []ir.Value   // by global: the variable that replaces it
	private []ir.Value   // those to replace in one function
}

type varUse struct {
	inst ir.Inst
	next uint32
}

// maxParts bounds what splitting adds to a function, beside the function's own
// size: structures in structures may have a million parts.
const maxParts = 1 << 16

func (s *splitter) run(f *ir.Func) {
	if !f.Had(&variables) {
		return
	}
	s.f = f
	s.first = ir.Zeroed(s.first, f.ValueCount())
	s.uses = append(s.uses[:0], varUse{})
	s.work = s.work[:0]
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Var && s.composite(f.Module.Element(f.Type(i))) {
			s.work = append(s.work, i)
		}
	}
	if len(s.work) == 0 {
		return
	}
	s.findUses()
	changed := false
	s.room = maxParts + f.InstCount()
	for n := 0; n < len(s.work); n++ {
		if s.splittable(s.work[n]) && s.room > 0 {
			s.split(s.work[n])
			changed = true
		}
	}
	if changed {
		f.ApplyReplacements()
	}
}

func (s *splitter) composite(t ir.Type) bool {
	switch s.f.Module.KindOf(t) {
	case ir.StructType, ir.MatrixType, ir.VectorType:
		return true
	case ir.ArrayType:
		n, ok := s.f.Module.Slots(t)
		return ok && n <= ir.PromotedSlots
	}
	return false
}

// findUses lists the uses of the variables and of the pointers into them.
func (s *splitter) findUses() {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if d := f.DefOp(a); d == op.Var || d == op.Access && f.Module.SpaceOf(f.TypeOf(a)) == ir.Function {
				if n == 0 || f.Arg(i, 0) != a {
					s.note(a, i)
				}
			}
		}
	}
}

func (s *splitter) note(v ir.Value, user ir.Inst) {
	for int(v) >= len(s.first) {
		s.first = append(s.first, 0)
	}
	s.uses = append(s.uses, varUse{user, s.first[v]})
	s.first[v] = uint32(len(s.uses) - 1)
}

func (s *splitter) firstUse(v ir.Value) uint32 {
	if uint(v) < uint(len(s.first)) {
		return s.first[v]
	}
	return 0
}

// splittable looks at all uses of a variable.
func (s *splitter) splittable(variable ir.Inst) bool {
	f := s.f
	v := f.Result(variable)
	t := f.Module.Element(f.Type(variable))
	count, _ := f.Module.Count(t)
	named, whole := false, false
	for u := s.firstUse(v); u != 0; u = s.uses[u].next {
		switch i := s.uses[u].inst; f.Op(i) {
		case op.Access:
			if f.Resolve(f.Arg(i, 0)) != v {
				return false
			}
			if x, ok := f.Module.ConstUint(f.Arg(i, 1)); !ok || x >= uint64(count) {
				return false
			}
			named = true
		case op.Load, op.Store, op.Copy:
			whole = true
		case op.Invalid: // replaced meanwhile
		default:
			return false
		}
	}
	switch {
	case f.Module.IsVector(t):
		return named && !whole
	case f.Module.KindOf(t) == ir.ArrayType:
		return named
	}
	return named || whole
}

// split replaces a variable by one for each part, and its uses with it.
func (s *splitter) split(variable ir.Inst) {
	f := s.f
	m := f.Module
	v := f.Result(variable)
	t := m.Element(f.Type(variable))
	count, _ := m.Count(t)
	start := len(s.parts)
	for n := range count {
		part := f.NewInst(op.Var, m.PointerTo(ir.Function, m.PartType(t, n), ir.ReadWrite), 0, f.SpanOf(variable))
		f.InsertBefore(variable, part)
		f.SetName(f.Result(part), s.partName(f.ValueName(v), t, n))
		s.parts = append(s.parts, f.Result(part))
		if s.composite(m.PartType(t, n)) {
			s.work = append(s.work, part)
		}
	}
	parts := s.parts[start:]
	s.room -= len(parts)
	for u := s.firstUse(v); u != 0; u = s.uses[u].next {
		s.room -= len(parts)
		switch i := s.uses[u].inst; f.Op(i) {
		case op.Access:
			s.room += len(parts)
			s.access(i, parts)
		case op.Load:
			s.load(i, parts)
		case op.Store:
			s.store(i, parts)
		case op.Copy:
			s.copy(i, v, parts)
		}
	}
	s.parts = s.parts[:start]
	f.Remove(variable)
}

func (s *splitter) partName(name string, t ir.Type, n uint32) string {
	if name == "" {
		return ""
	}
	m := s.f.Module
	if m.KindOf(t) == ir.StructType {
		return name + "." + m.Members(t)[n].Name
	}
	return name + "." + strconv.Itoa(int(n))
}

func (s *splitter) before(i ir.Inst, o op.Op, t ir.Type, args ...ir.Value) ir.Inst {
	made := s.f.NewInst(o, t, 0, s.f.SpanOf(i), args...)
	s.f.InsertBefore(i, made)
	return made
}

// access drops the first index of an access, which names the part.
func (s *splitter) access(i ir.Inst, parts []ir.Value) {
	f := s.f
	n, _ := f.Module.ConstUint(f.Arg(i, 1))
	part := parts[n]
	if len(f.Args(i)) > 2 {
		f.SetArg(i, 1, part)
		f.SetArgs(i, f.Args(i)[1:]...)
		s.note(part, i)
		return
	}
	s.redirect(f.Result(i), part)
	f.Replace(f.Result(i), part)
	f.Remove(i)
}

// redirect makes the uses of an access uses of the part it names.
func (s *splitter) redirect(pointer, part ir.Value) {
	for u := s.firstUse(pointer); u != 0; u = s.uses[u].next {
		s.note(part, s.uses[u].inst)
	}
}

func (s *splitter) load(i ir.Inst, parts []ir.Value) {
	f := s.f
	m := f.Module
	t := f.Type(i)
	mark := len(s.parts)
	for n, part := range parts {
		load := s.before(i, op.Load, m.PartType(t, uint32(n)), part)
		s.note(part, load)
		s.parts = append(s.parts, f.Result(load))
	}
	made := s.before(i, op.Construct, t, s.parts[mark:]...)
	s.parts = s.parts[:mark]
	f.Replace(f.Result(i), f.Result(made))
	f.Remove(i)
}

func (s *splitter) store(i ir.Inst, parts []ir.Value) {
	f := s.f
	m := f.Module
	value := f.Resolve(f.Arg(i, 1))
	for n, part := range parts {
		var x ir.Value
		if value.IsConst() {
			x = m.ConstPart(value, uint32(n))
		} else {
			x = f.Result(s.before(i, op.Extract, m.PartType(f.TypeOf(value), uint32(n)), value, m.ConstU32(uint32(n))))
		}
		s.note(part, s.before(i, op.Store, ir.Void, part, x))
	}
	f.Remove(i)
}

// copy splits a copy to or from the variable. The other side, if it is a
// variable as well or a part of one, is accessed part by part and may be split later.
func (s *splitter) copy(i ir.Inst, v ir.Value, parts []ir.Value) {
	f := s.f
	m := f.Module
	to, from := f.Resolve(f.Arg(i, 0)), f.Resolve(f.Arg(i, 1))
	if to == from {
		f.Remove(i)
		return
	}
	other := from
	if from == v {
		other = to
	}
	p := f.TypeOf(other)
	t := m.Element(p)
	for n, part := range parts {
		pointer := m.PointerTo(m.SpaceOf(p), m.PartType(t, uint32(n)), m.AccessOf(p))
		access := s.before(i, op.Access, pointer, other, m.ConstU32(uint32(n)))
		target, source := part, f.Result(access)
		if from == v {
			target, source = source, target
		}
		var made ir.Inst
		switch m.KindOf(m.PartType(t, uint32(n))) {
		case ir.ScalarType, ir.VectorType:
			load := s.before(i, op.Load, m.PartType(t, uint32(n)), source)
			made = s.before(i, op.Store, ir.Void, target, f.Result(load))
			s.note(source, load)
			s.note(target, made)
		default:
			made = s.before(i, op.Copy, ir.Void, target, source)
			s.note(source, made)
			s.note(target, made)
		}
		if m.SpaceOf(p) == ir.Function {
			s.note(other, access)
		}
	}
	f.Remove(i)
}
