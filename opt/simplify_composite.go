package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file simplifies composites, conversions and pointers: what depends on types and indices
// rather than on values, and so is not in the rules file.

// maxCompositeParts bounds the composites that are made of their parts.
const maxCompositeParts = 16

// composites are the simplifications by operation.
var composites = [op.Count]func(s *simplifier, i ir.Inst) bool{
	op.Extract:   simplifyExtract,
	op.Insert:    simplifyInsert,
	op.Construct: simplifyConstruct,
	op.Shuffle:   simplifyShuffle,
	op.Convert:   simplifyConvert,
	op.Bitcast:   simplifyBitcast,
	op.Access:    simplifyAccess,
}

// simplifyExtract looks through what made the composite.
func simplifyExtract(s *simplifier, i ir.Inst) bool {
	f := s.f
	m := f.Module
	composite := f.Arg(i, 0)
	if s.onlyPart(i, 1) {
		return true
	}
	d, ok := f.Def(composite)
	if !ok {
		k, constant := m.ConstIndex(f.TypeOf(composite), f.Arg(i, 1))
		return constant && s.isAlone(composite, k) && s.replace(i, m.ConstU32(0))
	}
	if f.Op(d) == op.Splat {
		return s.replace(i, f.Arg(d, 0))
	}
	k, constant := f.Module.ConstIndex(f.TypeOf(composite), f.Arg(i, 1))
	if !constant {
		return false
	}
	if x, ok := m.ConstUint(f.Arg(i, 1)); !ok || x != uint64(k) {
		f.SetArg(i, 1, m.ConstU32(k))
		return true
	}
	switch f.Op(d) {
	case op.Construct:
		return s.replace(i, f.Arg(d, int(k)))
	case op.SubgroupBallot: // no bits of lanes that there are not
		size, known := m.ConstUint(s.subgroupSize())
		return known && f.Kernel && uint64(k)*32 >= size && s.replace(i, m.ConstU32(0))
	case op.Shuffle:
		f.SetArgs(i, f.Arg(d, 0), m.ConstU32(op.SwizzleComponent(f.Aux(d), int(k))))
		return true
	case op.Insert:
		at, constant := f.Module.ConstIndex(f.TypeOf(composite), f.Arg(d, 2))
		switch {
		case !constant:
			return false
		case at == k:
			return s.replace(i, f.Arg(d, 1))
		}
		f.SetArg(i, 0, f.Arg(d, 0))
		return true
	}
	return false
}

// onlyPart makes operand n of an extract or insert, an index, constant where the value has
// one part: indices outside are clamped.
func (s *simplifier) onlyPart(i ir.Inst, n int) bool {
	f := s.f
	if f.Arg(i, n).IsConst() {
		return false
	}
	if count, ok := f.Module.Count(f.TypeOf(f.Arg(i, 0))); !ok || count != 1 {
		return false
	}
	f.SetArg(i, n, f.Module.ConstU32(0))
	return true
}

// isAlone reports whether a parameter is a kernel's local_invocation_id, whose
// component k is 0 because the workgroup has one invocation in that direction.
func (s *simplifier) isAlone(v ir.Value, k uint32) bool {
	f := s.f
	if !f.Kernel {
		return false
	}
	n := slices.Index(f.Params(f.Entry), v)
	return n >= 0 && f.Builtins[n] == ir.LocalInvocationID && f.Workgroup[k] == f.Module.ConstU32(1)
}

// simplifyInsert makes a construct of inserts that replace every part, and drops
// an insert whose part is replaced again.
func simplifyInsert(s *simplifier, i ir.Inst) bool {
	f := s.f
	if s.onlyPart(i, 2) {
		return true
	}
	t := f.Type(i)
	k, constant := f.Module.ConstIndex(t, f.Arg(i, 2))
	if !constant {
		return false
	}
	base := f.Arg(i, 0)
	d, ok := f.Def(base)
	if !ok {
		return false
	}
	switch f.Op(d) {
	case op.Insert:
		if at, constant := f.Module.ConstIndex(t, f.Arg(d, 2)); constant && at == k {
			f.SetArg(i, 0, f.Arg(d, 0))
			return true
		}
	case op.Construct:
		if len(f.Args(d)) > maxCompositeParts {
			return false
		}
		s.parts = append(s.parts[:0], f.Args(d)...)
		s.parts[k] = f.Arg(i, 1)
		return s.rewrite(i, op.Construct, s.parts...)
	}
	return s.insertChain(i, t)
}

// insertChain turns a chain of inserts with constant indices that replaces every
// part of a small composite into a construct.
func (s *simplifier) insertChain(i ir.Inst, t ir.Type) bool {
	f := s.f
	count, _ := f.Module.Count(t)
	if count > maxCompositeParts {
		return false
	}
	s.parts = ir.Zeroed(s.parts, int(count))
	missing := count
	at := i
	for range 2 * count { // a longer chain repeats itself
		k, constant := f.Module.ConstIndex(t, f.Arg(at, 2))
		if !constant {
			return false
		}
		if s.parts[k] == 0 {
			s.parts[k] = f.Arg(at, 1)
			missing--
		}
		next := f.Arg(at, 0)
		d, ok := f.Def(next)
		if missing == 0 {
			return s.rewrite(i, op.Construct, s.parts...)
		}
		if ok && f.Op(d) == op.Insert {
			at = d
			continue
		}
		// what is left comes from a value whose parts are known
		for k := range s.parts {
			if s.parts[k] != 0 {
				continue
			}
			switch {
			case next.IsConst():
				s.parts[k] = f.Module.ConstPart(next, uint32(k))
			case ok && f.Op(d) == op.Splat:
				s.parts[k] = f.Arg(d, 0)
			default:
				return false
			}
		}
		return s.rewrite(i, op.Construct, s.parts...)
	}
	return false
}

// simplifyConstruct recognises a value that is made of all of its own parts, a vector of
// equal components, and components of one vector in another order.
func simplifyConstruct(s *simplifier, i ir.Inst) bool {
	f := s.f
	m := f.Module
	t := f.Type(i)
	args := f.Args(i)
	if len(args) == 0 {
		return false
	}
	same := m.IsVector(t)
	for _, a := range args[1:] {
		same = same && a == args[0]
	}
	if same {
		return s.rewrite(i, op.Splat, args[0])
	}
	var from ir.Value
	var swizzle uint32
	inOrder := true
	for n, a := range args {
		d := s.def(a, op.Extract)
		if d == 0 || from != 0 && f.Arg(d, 0) != from {
			return false
		}
		from = f.Arg(d, 0)
		k, constant := m.ConstIndex(f.TypeOf(from), f.Arg(d, 1))
		if !constant {
			return false
		}
		inOrder = inOrder && int(k) == n
		if n < 4 {
			swizzle |= uint32(k) & 3 << (2 * n)
		}
	}
	if inOrder && f.TypeOf(from) == t {
		return s.replace(i, from)
	}
	if !m.IsVector(t) || !m.IsVector(f.TypeOf(from)) {
		return false
	}
	f.SetOp(i, op.Shuffle)
	f.SetAux(i, swizzle)
	f.SetArgs(i, from)
	return true
}

func simplifyShuffle(s *simplifier, i ir.Inst) bool {
	f := s.f
	m := f.Module
	n := m.Components(f.Type(i))
	from := f.Arg(i, 0)
	if f.TypeOf(from) == f.Type(i) {
		identity := true
		for k := range n {
			identity = identity && op.SwizzleComponent(f.Aux(i), k) == uint32(k)
		}
		if identity {
			return s.replace(i, from)
		}
	}
	d, ok := f.Def(from)
	if !ok {
		return false
	}
	switch f.Op(d) {
	case op.Splat:
		return s.rewrite(i, op.Splat, f.Arg(d, 0))
	case op.Construct:
		var parts [4]ir.Value
		for k := range n {
			parts[k] = f.Arg(d, int(op.SwizzleComponent(f.Aux(i), k)))
		}
		return s.rewrite(i, op.Construct, parts[:n]...)
	case op.Shuffle:
		var swizzle uint32
		for k := range n {
			swizzle |= op.SwizzleComponent(f.Aux(d), int(op.SwizzleComponent(f.Aux(i), k))) << (2 * k)
		}
		f.SetAux(i, swizzle)
		f.SetArgs(i, f.Arg(d, 0))
		return true
	}
	return false
}

// holds reports whether every value of one scalar kind is one of another, so
// that converting there and back changes nothing.
func holds(wide, narrow scalar.Kind) bool {
	switch {
	case wide == narrow, narrow == scalar.Bool:
		return true
	case wide.IsInteger() && narrow.IsInteger():
		return wide.Bits() >= narrow.Bits() // integers wrap
	}
	return wide == scalar.F32 && narrow == scalar.F16 ||
		wide == scalar.F64 && narrow.IsFloat() || wide == scalar.F64 && narrow.IsInteger() && narrow.Bits() <= 32
}

func simplifyConvert(s *simplifier, i ir.Inst) bool {
	f := s.f
	x := f.Arg(i, 0)
	if f.TypeOf(x) == f.Type(i) {
		return s.replace(i, x)
	}
	if d := s.def(x, op.Convert); d != 0 {
		first := f.Arg(d, 0)
		if f.TypeOf(first) == f.Type(i) && holds(s.kind(x), s.kind(first)) {
			return s.replace(i, first)
		}
	}
	return false
}

func simplifyBitcast(s *simplifier, i ir.Inst) bool {
	f := s.f
	x := f.Arg(i, 0)
	if f.TypeOf(x) == f.Type(i) {
		return s.replace(i, x)
	}
	if d := s.def(x, op.Bitcast); d != 0 {
		f.SetArg(i, 0, f.Arg(d, 0))
		return true
	}
	return false
}

// simplifyAccess joins an access with the one that made its base.
func simplifyAccess(s *simplifier, i ir.Inst) bool {
	f := s.f
	d := s.def(f.Arg(i, 0), op.Access)
	if d == 0 {
		return false
	}
	s.parts = append(append(s.parts[:0], f.Args(d)...), f.Args(i)[1:]...)
	f.SetFlags(i, f.Flags(i)&^ir.InBounds|f.Flags(i)&f.Flags(d)&ir.InBounds)
	f.SetArgs(i, s.parts...)
	return true
}

// constantLoad replaces a load of a constant part of module constant data.
func (s *simplifier) constantLoad(i ir.Inst) bool {
	f := s.f
	m := f.Module
	pointer := f.Arg(i, 0)
	root := rootOf(f, pointer)
	if !root.IsGlobal() || m.SpaceOf(m.Global(root).Type) != ir.Constant {
		return false
	}
	v := m.Global(root).Init
	if !v.IsConst() {
		return false
	}
	if pointer != root {
		d := s.def(pointer, op.Access)
		if d == 0 || f.Arg(d, 0) != root {
			return false
		}
		for _, index := range f.Args(d)[1:] {
			k, constant := f.Module.ConstIndex(m.TypeOf(v), index)
			if !constant {
				return false
			}
			v = m.ConstPart(v, k)
		}
	}
	return s.replace(i, v)
}
