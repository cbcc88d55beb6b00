package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file narrows loads: a structure, array or matrix that is loaded whole, and
// of which only some parts are then used, is loaded part by part, where it was
// loaded, so that writes in between do not matter. From memory that no one writes, a dynamic
// index is fine too: then the load moves to the extract.
//
//	%s = load %p : S                 %q = access %p, 1u : ptr<storage, f32>
//	…                          ─►    %x = load %q : f32
//	%x = extract %s, 1u : f32        …

// narrow rewrites the loads of a function. Parts that are composites themselves
// take another round.
func (s *splitter) narrow(f *ir.Func) {
	s.f = f
	for {
		s.narrowed = ir.Zeroed(s.narrowed, f.ValueCount())
		s.taken = ir.Zeroed(s.taken, f.ValueCount())
		if !s.findWhole(f.Entry) {
			return
		}
		s.findOtherUses(f.Entry)
		s.keepFull(f.Entry)
		if !s.takeApart(f.Entry) {
			return
		}
		s.removeWhole(f.Entry)
		f.ApplyReplacements()
	}
}

// removeWhole removes the marked loads, whose extracts are all replaced.
func (s *splitter) removeWhole(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o == op.Load && int(f.Result(i)) < len(s.narrowed) && s.narrowed[f.Result(i)]:
			f.Remove(i)
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				s.removeWhole(ir.Block(inner))
			}
		}
		i = next
	}
}

// findWhole marks the loads of composites that have parts of their own, vectors
// aside, and reports whether there are any.
func (s *splitter) findWhole(b ir.Block) (found bool) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Load:
			switch f.Module.KindOf(f.Type(i)) {
			case ir.StructType, ir.ArrayType, ir.MatrixType:
				s.narrowed[f.Result(i)] = true
				found = true
			}
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				found = s.findWhole(ir.Block(inner)) || found
			}
		}
	}
	return found
}

// findOtherUses takes the mark from those that are used in another way.
func (s *splitter) findOtherUses(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		for n, a := range f.Args(i) {
			switch {
			case !a.IsLocal() || !s.narrowed[a]:
			case o != op.Extract || n != 0 || !s.narrows(i, a):
				s.narrowed[a] = false
			default:
				if x, ok := f.Module.ConstIndex(f.TypeOf(a), f.Arg(i, 1)); ok {
					s.taken[a] |= 1 << min(x, 63)
				}
			}
		}
		if o.Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				s.findOtherUses(ir.Block(inner))
			}
		}
	}
}

// keepFull takes the mark from those all of whose parts are used.
func (s *splitter) keepFull(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Load && s.narrowed[f.Result(i)]:
			count, _ := f.Module.Count(f.Type(i))
			s.narrowed[f.Result(i)] = count > 63 || s.taken[f.Result(i)] != 1<<count-1
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				s.keepFull(ir.Block(inner))
			}
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
	return f.Module.SpaceOf(t).ReadOnly() || f.Module.SpaceOf(t) == ir.Storage && f.Module.AccessOf(t) == ir.Read
}

// takeApart replaces the extracts of marked loads, which come to be unused.
func (s *splitter) takeApart(b ir.Block) (changed bool) {
	f := s.f
	m := f.Module
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o == op.Extract && f.Arg(i, 0).IsLocal() && s.narrowed[f.Arg(i, 0)]:
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
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				changed = s.takeApart(ir.Block(inner)) || changed
			}
		}
		i = next
	}
	return changed
}
