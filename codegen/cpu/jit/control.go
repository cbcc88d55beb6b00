package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file emits the beginnings and ends of blocks, as flow.go has planned them.

// beginBlock lets the lanes in that wait, and skips a block that none comes to.
func (s *selector) beginBlock(n int) {
	f, w := s.f, &s.flow
	s.block = n
	s.epoch++
	s.source = 0
	s.mark(w.labels[n])
	s.clearMasks(n)
	if w.partial[n] {
		for u := range s.sets {
			s.use(u)
			if p := w.pending[n]; p != 0 {
				s.emit(amd64.VPOr, amd64.Wide, s.exec, s.exec, p)
				if !w.shortLived[n] {
					s.emit(amd64.VPXor, amd64.Wide, p, p, p)
				}
			}
		}
		if w.tested[n] {
			s.jumpIfNone(s.flow.skip(s, n))
		}
	}
	if s.entries[n] != 0 {
		s.mark(s.entries[n])
	}
	s.findFullMask(n)
	for u := range s.sets {
		s.use(u)
		for _, r := range f.BlockParams(f.Order[n]) {
			if s.value(r).needs != 0 && !s.isUniformWord(r) {
				s.derive(r)
			}
		}
	}
}

// isCommon reports whether a parameter is in the registers of the first block of lanes.
func (s *selector) isUniformWord(r mir.Operand) bool {
	v, first := s.value(r), &s.sets[0].values[s.f.Index(r)]
	return s.set > 0 && v.general == first.general && v.vector == first.vector
}

func (s *selector) jumpIfNone(label int) {
	any := s.sets[0].exec
	for _, c := range s.sets[1:] {
		next := s.freshVector()
		s.emit(amd64.VPOr, amd64.Wide, next, any, c.exec)
		any = next
	}
	s.emit(amd64.VPTest, amd64.Wide, any, any)
	s.jumpIf(amd64.Equal, label)
}

// endBlock sends lanes on.
func (s *selector) endBlock(n int) {
	f, w := s.f, &s.flow
	i := f.Last(f.Order[n])
	s.source = 0
	s.epoch++
	edges := f.Edges(i)
	switch {
	case w.masked[n]:
		s.sendMasked(n, i)
	case len(edges) == 0: // all lanes of the block return
		s.jump(s.done)
	case len(edges) == 1:
		s.sendAll(n, 0)
	default:
		other := s.label()
		s.branchUnless(n, i, other)
		s.sendAll(n, 0)
		s.mark(other)
		s.epoch++
		s.sendAll(n, 1)
	}
	s.epoch++
	if w.hasTail(s, n) {
		s.goBack(n)
	}
	if w.masked[n] || w.hasTail(s, n) {
		if to := w.after(n); to != n+1 {
			if to <= n {
				s.poll()
			}
			s.jump(w.labels[to])
		}
	}
}

// hasTail reports whether a block ends a loop that parts of the lanes go through.
func (w *flow) hasTail(s *selector, n int) bool {
	return w.partial[n] && s.p.Ends(n) && w.partial[s.p.Loop[n]]
}

// branchUnless jumps if a condition that lanes have in common does not hold.
func (s *selector) branchUnless(n int, i mir.Inst, other int) {
	f := s.f
	c := f.Arg(i, 0)
	if c.IsConst() {
		if f.Bits(c) == 0 {
			s.jump(other)
		}
		return
	}
	if x := s.fused(n); x != 0 {
		w := amd64.Narrow
		if f.Kind(x).Bits() == 64 {
			w = amd64.Wide
		}
		s.compare(w, s.general(f.Arg(x, 0)), f.Arg(x, 1))
		s.jumpIf(relations[f.Op(x)][sign(f.Kind(x))].Negated(), other)
		return
	}
	g := s.value(c).general
	s.emit(amd64.Test, amd64.Narrow, g, g)
	s.jumpIf(amd64.Equal, other)
}

// fused returns the comparison of words that the end of a block makes itself, since nobody else
// reads what comes of it, or 0.
func (s *selector) fused(n int) mir.Inst {
	f := s.f
	last := f.Last(f.Order[n])
	if f.Op(last) != mir.Branch || s.flow.masked[n] || f.Arg(last, 0).IsConst() {
		return 0
	}
	i, ok := s.definition(f.Arg(last, 0))
	if !ok || f.Op(i) < mir.Op(op.Eq) || f.Op(i) > mir.Op(op.Ge) || s.home[i] != int32(n) || s.values[f.Index(f.Arg(last, 0))].form != inGeneral {
		return 0
	}
	if k := f.Kind(i); !k.IsInteger() || f.Arg(i, 0).IsConst() || s.reads[f.Index(f.Arg(last, 0))] != 1 {
		return 0
	}
	return i
}

func sign(k scalar.Kind) int {
	if k.IsSigned() {
		return 0
	}
	return 1
}

// sendAll goes on with all lanes of a block to where an edge leads.
func (s *selector) sendAll(n, edge int) {
	w := &s.flow
	to := int(s.p.At[s.edges(n)[edge].To])
	if w.partial[to] && !w.partial[n] {
		s.enter(to)
		s.startLanes()
	}
	var masks [maxSets]amd64.Operand
	for u := range s.sets {
		s.use(u)
		masks[u] = s.mask()
	}
	s.pass(n, edge, &masks)
	if to <= n && !s.waitsInLoop(to, n) {
		s.poll()
	}
	// a tail would send the lanes back
	if to != n+1 || len(s.edges(n)) == 2 && edge == 0 || w.hasTail(s, n) {
		s.jump(w.labels[to])
	}
}

// startLanes makes all lanes active that there are.
func (s *selector) startLanes() {
	for u := range s.sets {
		s.use(u)
		if s.hasDead() {
			s.emit(amd64.VMovUPS, amd64.Wide, s.exec, s.lives)
		} else {
			s.emit(amd64.VPCmpEqD, amd64.Wide, s.exec, s.exec, s.exec)
		}
	}
}

// enter says of the blocks around one that parts of the lanes execute that no lane waits, as all
// are here. Registers that are assigned by mask there have had no value so far.
func (s *selector) enter(to int) {
	for u := range s.sets {
		s.use(u)
		s.enterOnce(to)
	}
}

func (s *selector) enterOnce(to int) {
	f, w := s.f, &s.flow
	// All that a part of the lanes executes which meets where this does, and where they meet, in
	// the order of the text.
	end := w.reconvergence[to]
	s.entered = s.entered[:0]
	for n := int(w.begins[end]) - 1; n != end; n = w.follows[n] {
		s.entered = append(s.entered, n)
	}
	if end < s.blockCount() {
		at, _ := slices.BinarySearch(s.entered, end)
		s.entered = slices.Insert(s.entered, at, end)
	}
	for _, n := range s.entered {
		if p := w.pending[n]; p != 0 && !w.shortLived[n] {
			s.emit(amd64.VPXor, amd64.Wide, p, p, p)
		}
		s.undefineParams(n, func(r mir.Operand) bool { return !w.shortLived[n] || w.kept[f.Index(r)] })
		for i := f.First(f.Order[n]); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				if w.kept[f.Index(r)] && s.varies(r) && s.value(r).needs != 0 {
					s.undefined(r)
				}
			}
		}
	}
}

// undefineParams says of parameters of a block that are assigned by mask, and that a condition
// holds for, that they have had no value.
func (s *selector) undefineParams(n int, condition func(mir.Operand) bool) {
	if !s.flow.partial[n] && !s.flow.waits[n] {
		return
	}
	for k, r := range s.f.BlockParams(s.f.Order[n]) {
		if s.value(r).needs&inVector != 0 && s.value(r).form == inVector && condition(r) && s.isBlended(n, k) {
			s.undefined(r)
		}
	}
}

// isBlended reports whether some edge assigns a parameter by mask.
func (s *selector) isBlended(to, k int) bool {
	for _, b := range s.flow.lives.Predecessors(s.f.Order[to]) {
		n := int(s.p.At[b])
		for e, edge := range s.edges(n) {
			if int(s.p.At[edge.To]) == to && s.blended(n, e, k) {
				return true
			}
		}
	}
	return false
}

func (s *selector) undefined(r mir.Operand) {
	for _, x := range s.value(r).vector {
		if x != 0 {
			s.emit(amd64.VPXor, amd64.Wide, x, x, x)
		}
	}
}

// waitsInLoop reports whether each iteration of a loop that goes back from one block to another
// comes to a barrier, where blocks are counted.
func (s *selector) waitsInLoop(to, from int) bool {
	if s.isAlone() {
		return false
	}
	s.walked = append(s.walked[:0], int32(to))
	for at := 0; at < len(s.walked); at++ {
		n := int(s.walked[at])
		if s.synchronizes[n] {
			continue
		}
		if n == from {
			return false
		}
		for _, e := range s.edges(n) {
			if next := s.p.At[e.To]; int(next) >= to && int(next) <= from {
				s.visit(next)
			}
		}
	}
	return true
}

// sendMasked sends lanes by masks: who does not go on to the next block, or back from the end of a
// loop, waits.
func (s *selector) sendMasked(n int, i mir.Inst) {
	f, w := s.f, &s.flow
	edges := f.Edges(i)
	if c := s.skipOf(n); c != 0 {
		s.emitSkip(n, c)
		s.forAll(c)
		s.source = 0
	}
	if c := s.continuations[n]; c.inst != 0 {
		s.emitContinuation(n, c)
		s.forAll(c.inst)
		s.source = 0
	}
	if !w.partial[n] {
		for _, e := range edges {
			if to := int(s.p.At[e.To]); w.partial[to] {
				s.enter(to)
				break
			}
		}
	}
	var lanes [2][maxSets]amd64.Operand
	for u := range s.sets {
		s.use(u)
		lanes[0][u], lanes[1][u] = s.lanesOf(i)
	}
	for k := range edges {
		s.pass(n, k, &lanes[k])
	}
	for u := range s.sets {
		s.use(u)
		s.route(n, edges, lanes[0][u], lanes[1][u])
	}
}

// lanesOf returns the lanes of a block that take each edge.
func (s *selector) lanesOf(i mir.Inst) (yes, no amd64.Operand) {
	f := s.f
	mask := s.mask()
	switch len(f.Edges(i)) {
	case 1:
		yes = s.freshVector()
		if mask != 0 {
			s.emit(amd64.VMovUPS, amd64.Wide, yes, mask)
		} else {
			s.emit(amd64.VPCmpEqD, amd64.Wide, yes, yes, yes)
		}
	case 2:
		c := s.vector(f.Arg(i, 0), 0)
		no = s.freshVector()
		if mask == 0 {
			yes = c
			s.emitConstant(amd64.VPXor, no, c, 0xFFFFFFFF)
		} else {
			yes = s.freshVector()
			s.emit(amd64.VPAnd, amd64.Wide, yes, mask, c)
			s.emit(amd64.VPAndN, amd64.Wide, no, c, mask)
		}
	}
	return yes, no
}

// route has the lanes wait that do not go on at once.
func (s *selector) route(n int, edges []mir.Edge, lanes ...amd64.Operand) {
	w := &s.flow
	on := amd64.Operand(0) // the lanes that go on at once
	for k := range edges {
		to := int(s.p.At[edges[k].To])
		switch {
		case !w.partial[to]:
		case s.goesOn(n, to):
			if on != 0 { // both edges
				both := s.freshVector()
				s.emit(amd64.VPOr, amd64.Wide, both, on, lanes[k])
				on = both
			} else {
				on = lanes[k]
			}
		default:
			s.emit(amd64.VPOr, amd64.Wide, w.pending[to], w.pending[to], lanes[k])
		}
	}
	if to := w.after(n); !w.hasTail(s, n) && (to >= s.blockCount() || !w.partial[to]) {
		return // all are together there
	}
	if on != 0 {
		s.emit(amd64.VMovUPS, amd64.Wide, s.exec, on)
	} else {
		s.emit(amd64.VPXor, amd64.Wide, s.exec, s.exec, s.exec)
	}
}

// goesOn reports whether lanes that a block sends to another one are active there at once.
func (s *selector) goesOn(n, to int) bool { return s.flow.goesOn(s, n, to) }

// goBack ends loops, from the innermost one on: as long as there are lanes for a header, it is gone
// back to.
func (s *selector) goBack(n int) {
	w := &s.flow
	s.mark(w.tails[n])
	for h := s.p.Loop[n]; h >= 0 && int(s.p.LoopEnd[h]) == n; h = s.p.Outer[h] {
		if !w.partial[h] {
			continue
		}
		for u := range s.sets {
			if s.use(u); w.back[h] {
				s.emit(amd64.VPOr, amd64.Wide, s.exec, s.exec, w.pending[h])
				s.emit(amd64.VPXor, amd64.Wide, w.pending[h], w.pending[h], w.pending[h])
			}
		}
		on := s.label()
		s.jumpIfNone(on)
		s.poll()
		s.jump(w.labels[h])
		s.mark(on)
	}
}

// copyOf is the assignment of a block's parameter.
type copyOf struct {
	to      amd64.Operand
	x       taken
	mask    amd64.Operand // or 0
	long    bool
	part    int
	general bool
}

// blended reports whether an edge assigns parameter k by mask. What lanes have in common, or in the
// first of them, is assigned as it is.
func (s *selector) blended(n, edge, k int) bool {
	r := s.f.BlockParams(s.edges(n)[edge].To)[k]
	return s.varies(r) && s.value(r).form == inVector && s.flow.blends(s, n, edge, k)
}

// pass assigns what an edge passes, all at once: what another assignment reads is not overwritten
// before.
func (s *selector) pass(n, edge int, masks *[maxSets]amd64.Operand) {
	s.copies = s.copies[:0]
	for u := range s.sets {
		s.use(u)
		s.passOnce(n, edge, masks[u])
	}
	s.assignAll(s.copies)
}

// passOnce lists the assignments of one block of lanes.
func (s *selector) passOnce(n, edge int, mask amd64.Operand) {
	f := s.f
	e := s.edges(n)[edge]
	list := s.copies
	args := f.EdgeArgs(e)
	for k, r := range f.BlockParams(e.To) {
		v := s.value(r)
		a := args[k]
		if v.needs == 0 || a == r || s.isUniformWord(r) {
			continue
		}
		if v.form == inGeneral {
			list = append(list, copyOf{to: v.general, x: s.generalSource(a), general: true})
			continue
		}
		m := amd64.Operand(0)
		if s.blended(n, edge, k) {
			m = mask
		}
		long := r.Class() == mir.Long
		for part, to := range v.vector {
			if to == 0 {
				continue
			}
			x := s.vectorSource(a, part)
			if !v.anyNaN && !x.constant {
				x = from(s.canonical(a, part))
			}
			if m == 0 && !x.constant && x.register == to {
				continue // it is there
			}
			list = append(list, copyOf{to: to, x: x, mask: m, long: long, part: part})
		}
	}
	s.copies = list
}

// assignAll makes assignments in an order that works.
func (s *selector) assignAll(list []copyOf) {
	for len(list) > 0 {
		kept := list[:0]
		for n, c := range list {
			if readBy(list[n+1:], c.to) || readBy(kept, c.to) {
				kept = append(kept, c)
				continue
			}
			s.copy(&c)
		}
		if len(kept) == len(list) { // they go round in circles: one value steps aside
			aside := s.freshVector()
			o := amd64.VMovUPS
			if kept[0].general {
				aside, o = s.freshGeneral(), amd64.Mov
			}
			s.emit(o, amd64.Wide, aside, kept[0].to)
			for k := range kept {
				if !kept[k].x.constant && kept[k].x.register == kept[0].to {
					kept[k].x.register = aside
				}
			}
		}
		list = kept
	}
}

// readBy reports whether an assignment reads a register that another one writes.
func readBy(list []copyOf, to amd64.Operand) bool {
	for _, c := range list {
		if !c.x.constant && c.x.register == to {
			return true
		}
	}
	return false
}

func (s *selector) copy(c *copyOf) {
	switch {
	case c.general && c.x.constant:
		s.emit(amd64.Mov, amd64.Wide, c.to, s.generalOf(c.x.bits))
	case c.general:
		s.emit(amd64.Mov, amd64.Wide, c.to, c.x.register)
	default:
		s.blend(c.to, c.x, c.mask, c.long, c.part)
	}
}

// barrier notes that all invocations of the workgroup wait for each other here.
func (s *selector) barrier(i mir.Inst) {
	if s.flow.partial[s.block] {
		panic(refusal("a barrier that not all invocations of a workgroup come to, as far as is known"))
	}
	if s.isAlone() {
		return // they are all here, and execute each instruction at once
	}
	resume := s.label()
	s.list = append(s.list, placeholder)
	s.straight = len(s.list)
	s.barriers = append(s.barriers, barrier{resume: resume, earlyOut: slices.Contains(s.earlyOutTo, i)})
	s.epoch++
}
