package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file decides where values are. What is the same in all lanes, or a word that grows by a
// constant from lane to lane, is computed for the first lane alone. It is in a general register, if
// there are instructions for it. Everything else is in vectors. Who needs the other form gets it
// from the first, after the definition: a broadcast, plus what lanes differ by, or the first lane.

// value is where a register of the function is.
type value struct {
	// strided says that the value grows by stride from lane to lane, for a register whose lanes
	strided bool
	stride  int32
	// form is what the definition computes, needs are the forms that are used. early says that
	// more uses the vector than a comparison of allcontinue.go.
	form, needs form
	early       bool
	general     amd64.Operand
	vector      [2]amd64.Operand // the second is the upper four lanes of 64 bits
	anyNaN      bool             // a NaN may have any pattern, see nan.go
}

// form is a set of forms.
type form uint8

const (
	inGeneral form = 1 << iota // of the first lane
	inVector
)

func (s *selector) value(o mir.Operand) *value { return &s.values[s.f.Index(o)] }

// varies reports whether lanes of a block may hold different values.
func (s *selector) varies(o mir.Operand) bool { return s.p.Uniform[lower.Block].Varies(o) }

// stride returns by how much a word grows from lane to lane, if that is known for certain.
func (s *selector) stride(o mir.Operand) (int32, bool) {
	if o == mir.NoOperand || !s.varies(o) {
		return 0, true
	}
	v := s.value(o)
	return v.stride, v.strided
}

// strides finds the words that grow by a constant: it begins with all words and takes away until
// nothing changes. Less the index of the lane times the constant they would be uniform, so
// parameters grow where uniform ones stay so. That holds in loops that lanes leave at different
// times, too, since those that are left are in the same iteration.
func (s *selector) strides() {
	f := s.f
	known := make([]bool, f.Indices())
	for changed := true; changed; {
		changed = false
		set := func(r mir.Operand, stride int32, grows bool) {
			if r.Class() != mir.Word || !s.varies(r) {
				return
			}
			n := f.Index(r)
			grows = grows && !s.flow.kept[n]
			v := &s.values[n]
			switch {
			case !known[n]:
				known[n], changed = true, true
				v.stride, v.strided = stride, grows
			case v.strided && (!grows || v.stride != stride):
				v.strided, changed = false, true
			}
		}
		for n, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				results := f.Results(i)
				if len(results) == 0 {
					continue
				}
				if stride, grows, ready := s.strideOf(i, known); ready {
					for _, r := range results {
						set(r, stride, grows)
					}
				}
			}
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					if !a.IsConst() && s.varies(a) && !known[f.Index(a)] {
						continue
					}
					stride, grows := s.stride(a)
					set(params[k], stride, grows && !s.p.Uniform[lower.Block].PathDependent(params[k]))
				}
			}
		}
	}
}

// strideOf returns the stride of an instruction's result. It is not ready as long as nothing is
// known of an operand.
func (s *selector) strideOf(i mir.Inst, known []bool) (stride int32, grows, ready bool) {
	f := s.f
	args := f.Args(i)
	for _, a := range args {
		if !a.IsConst() && s.varies(a) && a.Class() == mir.Word && !known[f.Index(a)] {
			return 0, false, false
		}
	}
	if f.Op(i) == mir.Builtin {
		stride, grows = s.builtinStride(f.Aux(i))
		return stride, grows, true
	}
	if f.Op(i) >= mir.Join || !f.Kind(i).IsInteger() || len(args) == 0 || f.Kind(i).Bits() != 32 {
		return 0, false, true
	}
	x, known1 := s.stride(args[0])
	y, known2 := int32(0), true
	if len(args) > 1 {
		y, known2 = s.stride(args[1])
	}
	stride, grows = s.change(i, x, y)
	return stride, grows && known1 && known2, true
}

// change returns by how much the result of an operation on words changes where its operands change
// by so much, if that is the same for all operands.
func (s *selector) change(i mir.Inst, x, y int32) (by int32, ok bool) {
	f := s.f
	args := f.Args(i)
	switch op.Op(f.Op(i)) {
	case op.Add:
		return x + y, true
	case op.Sub:
		return x - y, true
	case op.Neg:
		return -x, true
	case op.Mul:
		if args[1].IsConst() {
			return x * int32(f.Bits(args[1])), true
		}
		if args[0].IsConst() {
			return y * int32(f.Bits(args[0])), true
		}
	case op.Shl:
		if args[1].IsConst() {
			return x << (f.Bits(args[1]) & 31), true
		}
	}
	return 0, false
}

// builtinStride returns the stride of a builtin value's component. Lanes are neighbours in x if
// the length of rows is a multiple of a block's lanes, or there is one row.
func (s *selector) builtinStride(aux uint32) (int32, bool) {
	x, component := lower.AuxBuiltin(aux)
	switch x {
	case ir.LocalInvocationIndex, ir.SubgroupInvocationID:
		return 1, true
	case ir.LocalInvocationID, ir.GlobalInvocationID:
		if component == 0 && s.inRows() {
			return 1, true
		}
	}
	return 0, false
}

// inRows reports whether the lanes of a block are neighbours in x.
func (s *selector) inRows() bool {
	w := s.p.Workgroup
	return w[0]%lanes == 0 || w[1]*w[2] == 1
}

// forms finds what definitions compute.
func (s *selector) forms() {
	f := s.f
	for n := range s.values {
		s.values[n].form = 0
	}
	of := func(o mir.Operand) form {
		if o.IsConst() {
			return 0
		}
		return s.value(o).form
	}
	for changed := true; changed; {
		changed = false
		set := func(r mir.Operand, x form) {
			if v := s.value(r); v.form != x && v.form != inVector {
				v.form, changed = x, true
			}
		}
		for n, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				for _, r := range f.Results(i) {
					x := inVector
					if s.computesFirst(i, r) {
						x = inGeneral
						for _, a := range f.Args(i) {
							if op.Op(f.Op(i)) == op.Select && of(a) == inVector && !s.value(r).strided {
								x = inVector
							}
						}
					}
					set(r, x)
				}
			}
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					p := params[k]
					switch {
					case s.value(p).strided && s.varies(p):
						set(p, inGeneral)
					case s.varies(p), of(a) == inVector:
						set(p, inVector)
					case s.value(p).form == 0 && (a.IsConst() || of(a) != 0):
						set(p, inGeneral)
					}
				}
			}
		}
	}
}

// computesFirst reports whether an instruction computes the first lane of a result only.
func (s *selector) computesFirst(i mir.Inst, r mir.Operand) bool {
	f := s.f
	if s.varies(r) && !s.value(r).strided {
		return false
	}
	switch o := f.Op(i); {
	case o == mir.Builtin, o == mir.BindingAddress, o == mir.BindingLength, o == mir.SymbolAddress:
		return true
	case o == mir.MulWide:
		return true
	case o == mir.Op(op.Load):
		return !f.Memory(i).Kind.IsFloat() || f.Memory(i).Kind.Bits() == 16
	case o == mir.Op(op.Convert):
		return scalarConversions()[f.Kind(i)][f.To(i)] != nil
	case o < mir.Join:
		return s.scalarTemplate(i) != nil
	}
	return false
}

// scalarTemplate returns the template of an operation in general registers, or nil.
func (s *selector) scalarTemplate(i mir.Inst) *template {
	f := s.f
	if f.Op(i) >= mir.Join || len(f.Results(i)) != 1 {
		return nil
	}
	return pick(scalarTable(), f, i)
}

// pick returns the template of an instruction in a table, or nil.
func pick(t *[op.Count][scalar.Count][byKinds]*template, f *mir.Func, i mir.Inst) *template {
	r := &t[f.Op(i)][f.Kind(i)]
	if args := f.Args(i); len(args) > 1 && args[1].IsConst() {
		for b := byKinds - 1; b > byAny; b-- {
			if r[b] != nil && b.accepts(f.KindOf(args[1]), f.Bits(args[1])) && (b != byRange || args[2].IsConst() && byLesser.accepts(f.KindOf(args[2]), f.Bits(args[2]))) {
				return r[b]
			}
		}
	}
	return r[byAny]
}

// demand finds which forms are needed, from what has effects backward. What an instruction needs
// does not depend on who needs it, so that each is looked at once.
func (s *selector) demand() {
	f := s.f
	s.looked, s.worklist = ir.Zeroed(s.looked, len(s.home)), s.worklist[:0]
	changed, late := false, false
	need := func(o mir.Operand, x form) {
		if o == mir.NoOperand || o.IsConst() {
			return
		}
		v := s.value(o)
		v.early = v.early || x == inVector && !late
		if v.needs|x|v.form != v.needs {
			v.needs |= x | v.form
			changed = true
			if i, ok := s.definition(o); ok {
				s.worklist = append(s.worklist, i)
			}
		}
	}
	look := func() {
		for len(s.worklist) > 0 {
			i := s.worklist[len(s.worklist)-1]
			s.worklist = s.worklist[:len(s.worklist)-1]
			if !s.looked[i] && s.isNeeded(i) {
				s.looked[i] = true
				late = s.continuations[s.home[i]].inst == i
				s.operandForms(i, int(s.home[i]), need)
				late = false
			}
		}
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			s.worklist = append(s.worklist, i)
			look()
		}
	}
	for changed = true; changed; {
		changed = false
		for n := len(f.Order) - 1; n >= 0; n-- {
			for edge, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					if p := s.value(params[k]); p.needs != 0 {
						late = s.continuations[n].inst != 0 && s.continuations[n].edge != edge
						need(a, p.form)
						late = false
						look()
					}
				}
			}
		}
	}
}

// isNeeded reports whether an instruction has effects, or results that are needed.
func (s *selector) isNeeded(i mir.Inst) bool {
	f := s.f
	if o := f.Op(i); o.Ends() || o == lower.Prefetch || o < mir.Join && !op.Op(o).Pure() && o != mir.Op(op.Load) {
		return true
	}
	for _, r := range f.Results(i) {
		if s.value(r).needs != 0 {
			return true
		}
	}
	return false
}

// operandForms calls a function with the forms in which an instruction needs its operands.
func (s *selector) operandForms(i mir.Inst, n int, need func(mir.Operand, form)) {
	f := s.f
	o := f.Op(i)
	switch {
	case o == mir.Branch:
		if c := f.Arg(i, 0); s.flow.masked[n] {
			need(c, inVector)
			if d := s.delayed(n); d != 0 {
				need(f.Arg(d, 0), inGeneral)
				need(f.Arg(d, 1), inGeneral)
			}
		} else {
			need(c, inGeneral)
		}
		return
	case o == mir.Op(op.ControlBarrier), o.Ends():
		return
	case o == lower.Prefetch:
		need(f.Arg(i, 0), inGeneral)
		need(f.Arg(i, 1), inGeneral)
		return
	case mir.HasMemory(o):
		a := s.resolve(i)
		a.operands(need)
		for _, x := range f.Args(i) {
			need(x, inVector)
		}
		return
	}
	x := inVector
	for _, r := range f.Results(i) {
		if s.value(r).form == inGeneral {
			x = inGeneral
		}
	}
	for k, a := range f.Args(i) {
		if k == 1 && a.IsConst() {
			continue
		}
		need(a, x)
	}
}
