package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file narrows loads. A structure, array or matrix may be loaded although only some of its
// parts are used. Then the parts are loaded instead, where the load was, so that writes in between
// do not matter. From memory that no one writes, a dynamic index is fine too: then the load moves
// to the extract.
//
//	%s = load %p : S                 %q = access %p, 1u : ptr<storage, f32>
//	…                          ─►    %x = load %q : f32
//	%x = extract %s, 1u : f32        …

// narrow rewrites the loads of a function. Parts that are composites themselves
// need another round.
func (s *splitter) narrow(f *ir.Func) {
	s.f = f
	for {
		s.narrowed = ir.Zeroed(s.narrowed, f.ValueCount())
		s.usedParts = ir.Zeroed(s.usedParts, f.ValueCount())
		if !s.findComposites() {
			return
		}
		s.excludeOtherUses()
		s.excludeFullyUsed()
		if !s.splitLoads() {
			return
		}
		s.removeLoads()
		f.ApplyReplacements()
	}
}

// removeLoads removes the marked loads, whose extracts are all replaced.
func (s *splitter) removeLoads() {
	f := s.f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if r := f.Result(i); f.Op(i) == op.Load && int(r) < len(s.narrowed) && s.narrowed[r] {
			f.Remove(i)
		}
		i = next
	}
}

// findComposites marks the loads of composites that have parts of their own, vectors
// aside, and reports whether there are any.
func (s *splitter) findComposites() (found bool) {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Load {
			switch f.Module.KindOf(f.Type(i)) {
			case ir.StructType, ir.ArrayType, ir.MatrixType:
				s.narrowed[f.Result(i)] = true
				found = true
			}
		}
	}
	return found
}

// excludeOtherUses unmarks those that are used in another way.
func (s *splitter) excludeOtherUses() {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			switch {
			case !a.IsLocal() || !s.narrowed[a]:
			case o != op.Extract || n != 0 || !s.narrows(i, a):
				s.narrowed[a] = false
			default:
				if x, ok := f.Module.ConstIndex(f.TypeOf(a), f.Arg(i, 1)); ok {
					s.usedParts[a] |= 1 << min(x, 63)
				}
			}
		}
	}
}

// excludeFullyUsed unmarks those all of whose parts are used.
func (s *splitter) excludeFullyUsed() {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if r := f.Result(i); f.Op(i) == op.Load && s.narrowed[r] {
			count, _ := f.Module.Count(f.Type(i))
			s.narrowed[r] = count > 63 || s.usedParts[r] != 1<<count-1
		}
	}
}

// narrows reports whether an extract's index can be part of the address.
func (s *splitter) narrows(extract ir.Inst, whole ir.Value) bool {
	f := s.f
	if f.Arg(extract, 1).IsConst() {
		return true
	}
	load, _ := f.Def(whole)
	t := f.TypeOf(f.Arg(load, 0))
	return analysis.ReadOnly(f.Module, t)
}

// splitLoads replaces the extracts of marked loads, which come to be unused.
func (s *splitter) splitLoads() (changed bool) {
	f := s.f
	m := f.Module
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Extract && f.Arg(i, 0).IsLocal() && s.narrowed[f.Arg(i, 0)] {
			load, _ := f.Def(f.Arg(i, 0))
			index := f.Arg(i, 1)
			at := load
			if n, ok := m.ConstIndex(f.TypeOf(f.Arg(i, 0)), index); ok {
				index = m.ConstU32(n)
			} else {
				at = i
			}
			pointer := f.Arg(load, 0)
			p := f.TypeOf(pointer)
			access := s.before(at, op.Access, m.PointerTo(m.SpaceOf(p), f.Type(i), m.AccessOf(p)), pointer, index)
			part := s.before(at, op.Load, f.Type(i), f.Result(access))
			f.SetSpan(part, f.SpanOf(load))
			f.Replace(f.Result(i), f.Result(part))
			f.Remove(i)
			changed = true
		}
		i = next
	}
	return changed
}
