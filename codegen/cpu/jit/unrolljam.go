package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file executes several neighbouring blocks of lanes together, each instruction for one after
// the other (unroll and jam; LLVM's loop vectorizer calls the count interleave count). Their chains
// of dependent instructions overlap, loops are executed once for all, and what blocks have in
// common is computed and loaded once. Each block has its own registers for values, and its own
// masks. Where instructions would read the same registers for two blocks, the second uses the
// first's results. Control is common: a basic block is executed if lanes of any block of lanes
// reach it.

// copySet is what one of the blocks of lanes has of its own.
type copySet struct {
	values      []value
	cleaned     []canonicalized
	pending     []amd64.Operand
	exec, lives amd64.Operand
}

// use makes one block of lanes the one that instructions are selected for.
func (s *selector) use(u int) {
	c := &s.sets[u]
	s.set, s.values, s.canonicalized, s.flow.pending, s.exec, s.lives = u, c.values, c.cleaned, c.pending, c.exec, c.lives
}

// most is how many blocks of lanes are executed together at most.
const maxSets = 4

// width chooses how many blocks of lanes are executed together. That is as many as divide the
// workgroup's blocks and as vector registers are likely to be enough for, or the blocks of a
// subgroup if these have operations.
func (s *selector) width() int {
	f, p := s.f, s.p
	if p.Subgroups {
		return subgroupSize / lanes
	}
	for n, b := range f.Order {
		i := f.Last(b)
		if f.Op(i) == mir.Branch && !s.flow.masked[n] && p.Uniform[lower.Always].Varies(f.Arg(i, 0)) {
			return 1
		}
		if forced == 0 && p.Loop[n] >= 0 && s.exchanges(b) {
			return 1
		}
	}
	live := s.pressure()
	for u := maxSets; u > 1; u /= 2 {
		fits := live <= maxLive[u] && s.size()*u <= maxInstructions
		if forced != 0 {
			fits = u <= forced
		}
		if blocks(p)%int64(u) == 0 && fits {
			return u
		}
	}
	return 1
}

// exchanges reports whether a block has an exchange that succeeds only if memory is as it is
// expected. In a loop, that is how invocations go on one by one: in each iteration one of those
// that are executed together succeeds, and the others have tried for nothing.
func (s *selector) exchanges(b mir.Block) bool {
	for i := s.f.First(b); i != 0; i = s.f.Next(i) {
		if s.f.Op(i) == mir.Op(op.AtomicCompareExchange) {
			return true
		}
	}
	return false
}

// forced is how many blocks of lanes tests want to be executed together, 0 as many as are likely to
// be best.
var forced int

// mostLive is how many vectors may be live at once for so many blocks to be executed together. Some
// may be kept in memory for a while, which costs less than what is gained. Measured: mandelbrot has
// 13 and takes 124 ms alone, 78 by two and 125 by four; naive products of matrices have 4 and take
// 80 ms by four.
var maxLive = [maxSets + 1]int{2: 14, 4: 5}

// mostInstructions bounds the code.
const maxInstructions = 1200

// atomicSize is how many instructions an atomic is about as large as: it goes from lane to lane.
const atomicSize = 40

// size is how many instructions the function has, by what becomes of them.
func (s *selector) size() int {
	n := 0
	for _, b := range s.f.Order {
		for i := s.f.First(b); i != 0; i = s.f.Next(i) {
			if n++; mir.HasMemory(s.f.Op(i)) && s.f.Op(i) != mir.Op(op.Load) && s.f.Op(i) != mir.Op(op.Store) {
				n += atomicSize - 1
			}
		}
	}
	return n
}

// pressure is how many vectors are live at once, in loops if there are some.
func (s *selector) pressure() int {
	f := s.f
	deepest := 0
	s.depth, s.stamps = ir.Zeroed(s.depth, len(f.Order)), ir.Zeroed(s.stamps, f.Indices())
	depth, stamp := s.depth, s.stamps
	for n := range f.Order {
		for h := s.p.Loop[n]; h >= 0; h = s.p.Outer[h] {
			depth[n]++
		}
		deepest = max(deepest, depth[n])
	}
	size := func(r mir.Operand) int {
		if r == mir.NoOperand || r.IsConst() || s.value(r).needs&inVector == 0 {
			return 0
		}
		if r.Class() == mir.Long {
			return 2
		}
		return 1
	}
	highest := 0
	for n, b := range f.Order {
		if depth[n] < deepest {
			continue
		}
		live := 0
		begin := func(o mir.Operand) {
			if size(o) > 0 && stamp[f.Index(o)] != n+1 {
				stamp[f.Index(o)] = n + 1
				live += size(o)
			}
		}
		for _, e := range s.edges(n) {
			s.flow.buffer = s.flow.lives.LiveIn(s.flow.buffer[:0], e.To)
			for _, r := range s.flow.buffer {
				begin(r)
			}
			for k, r := range f.BlockParams(e.To) {
				if s.value(r).needs != 0 {
					begin(f.EdgeArgs(e)[k])
				}
			}
		}
		list := s.inOrder[:0]
		for i := f.First(b); i != 0; i = f.Next(i) {
			list = append(list, i)
		}
		s.inOrder = list
		highest = max(highest, live)
		for k := len(list) - 1; k >= 0; k-- {
			i := list[k]
			if !s.isNeeded(i) {
				continue
			}
			for _, r := range f.Results(i) {
				if size(r) > 0 && stamp[f.Index(r)] == n+1 {
					stamp[f.Index(r)] = 0
					live -= size(r)
				}
			}
			s.operandForms(i, n, func(o mir.Operand, x form) {
				if x == inVector {
					begin(o)
				}
			})
			highest = max(highest, live)
		}
	}
	return highest
}

// prepare makes the sets.
func (s *selector) prepare(count int) {
	f := s.f
	pending := s.flow.pending
	for len(s.copied) < count {
		s.copied = append(s.copied, copySet{})
	}
	for u := range count {
		c := &s.copied[u]
		c.values, c.cleaned, c.pending = append(c.values[:0], s.values...), ir.Zeroed(c.cleaned, f.Indices()), ir.Zeroed(c.pending, len(pending))
		c.exec, c.lives = s.freshVector(), s.freshVector()
		for n := range pending {
			if pending[n] != 0 {
				c.pending[n] = s.freshVector()
			}
		}
	}
	s.sets = s.copied[:count]
	each := func(r mir.Operand, common bool) {
		for u := range s.sets {
			v := &s.sets[u].values[f.Index(r)]
			if u > 0 && common {
				first := &s.sets[0].values[f.Index(r)]
				v.general, v.vector = first.general, first.vector
				continue
			}
			if v.needs&inGeneral != 0 {
				v.general = s.freshGeneral()
			}
			if v.needs&inVector != 0 {
				v.vector[0] = s.freshVector()
				if r.Class() == mir.Long {
					v.vector[1] = s.freshVector()
				}
			}
		}
	}
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			each(r, !s.p.Uniform[lower.Always].Varies(r) || s.p.Subgroups && !s.varies(r))
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				each(r, false)
			}
		}
	}
	s.use(0)
}

// same returns the first block of lanes whose results of an instruction are those of the one that
// is selected, or -1.
func (s *selector) same(i mir.Inst) int {
	f := s.f
	o := f.Op(i)
	for _, r := range f.Results(i) {
		if s.flow.kept[f.Index(r)] && s.varies(r) {
			return -1
		}
	}
	if o == mir.Builtin {
		return s.sameBuiltin(i)
	}
	if o == mir.Op(op.Load) {
		m := f.Memory(i)
		if m.Space == ir.Private {
			return -1
		}
		// in both versions of a block
		if s.resolve(i).pattern != uniformAddress && (s.flow.partial[s.block] || s.hasDead()) {
			return -1
		}
		if s.flow.partial[s.block] { // it is loaded if lanes of any block come here
			for u := range s.sets {
				if !s.sameOperands(i, u, s.set) {
					return -1
				}
			}
			return 0
		}
	} else if o < mir.Join && !op.Op(o).Pure() {
		return -1
	}
	for u := range s.set {
		if s.sameOperands(i, u, s.set) {
			return u
		}
	}
	return -1
}

// sameOperands reports whether an instruction reads the same registers for two blocks of lanes.
func (s *selector) sameOperands(i mir.Inst, u, w int) bool {
	f := s.f
	for _, o := range f.Args(i) {
		if !s.equals(o, u, w) {
			return false
		}
	}
	return !mir.HasMemory(f.Op(i)) || s.sameAddress(i, u, w)
}

// sameAddress reports whether a memory instruction names the same memory for two blocks of lanes.
func (s *selector) sameAddress(i mir.Inst, u, w int) bool {
	a := s.resolve(i)
	all := true
	a.operands(func(o mir.Operand, _ form) { all = all && s.equals(o, u, w) })
	return all
}

// equals reports whether an operand is in the same registers for two blocks of lanes.
func (s *selector) equals(o mir.Operand, u, w int) bool {
	if o == mir.NoOperand || o.IsConst() || u == w {
		return true
	}
	x, y := &s.sets[u].values[s.f.Index(o)], &s.sets[w].values[s.f.Index(o)]
	return x.needs != 0 && x.general == y.general && x.vector == y.vector
}

// blockDelta returns by how much a component of a builtin value of the selected block of lanes is
// more than that of the first, if that is always the same.
func (s *selector) blockDelta(x ir.Builtin, component int) (more int64, ok bool) {
	w := s.p.Workgroup
	lane, together := uint32(s.set*lanes), uint32(len(s.sets)*lanes)
	switch x {
	case ir.WorkgroupID, ir.NumWorkgroups, ir.LaunchExtent, ir.SubgroupSize, ir.NumSubgroups, ir.WorkgroupIndex:
		return 0, true
	case ir.SubgroupID:
		return 0, s.p.Subgroups
	case ir.SubgroupInvocationID:
		return int64(lane), s.p.Subgroups
	case ir.LocalInvocationIndex:
		return int64(lane), true
	case ir.LocalInvocationID, ir.GlobalInvocationID:
		switch {
		case w[1]*w[2] == 1, w[0]%together == 0: // they lie in one row
			return [3]int64{int64(lane)}[component], true
		case w[0]%lanes == 0 && together%w[0] == 0 && w[1]%(together/w[0]) == 0: // in whole rows
			return [3]int64{int64(lane % w[0]), int64(lane / w[0])}[component], true
		}
	}
	return 0, false
}

// sameBuiltin is same for builtin values.
func (s *selector) sameBuiltin(i mir.Inst) int {
	x, component := lower.AuxBuiltin(s.f.Aux(i))
	set := s.set
	defer func() { s.set = set }()
	more, ok := s.blockDelta(x, component)
	for u := range set {
		s.set = u
		if other, known := s.blockDelta(x, component); ok && known && other == more {
			return u
		}
	}
	return -1
}
