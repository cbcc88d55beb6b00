package machine

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file assigns registers by a linear scan (Poletto and Sarkar, "Linear Scan Register
// Allocation", 1999) over intervals from the first to the last instruction where a register is
// live.
//
// Only active lanes write vector registers, so inactive lanes keep their values. The liveness of
// vector registers is therefore that of a single lane on its own path: what an edge passes is
// written by the lanes of that edge only. Scalar registers belong to the wave, which executes the
// blocks in their order and repeats loops. If one is defined before a loop and used in it, it is
// live to the end of the loop.

// interval is the live interval of a virtual register. The position of a read is twice the index of
// the instruction, that of a write one more.
type interval struct {
	register   uint32
	start, end int32
}

// allocator is the state of an allocation.
type allocator struct {
	intervals []interval
	live      [][]uint64 // by block: live in
	generated [][3][]uint64
	killed    [][3][]uint64
	active    [2][]interval
	free      [2][4]uint64
	assigned  []int16 // by virtual register
	used      [2]int  // by bank: registers that are used
	spilled   []uint32
	vccSpans  []interval // where instructions use VCC by name
	vccFree   int32      // end of the interval that VCC is assigned to
}

// limits are the numbers of registers that there are.
type limits struct{ vectors, scalars int }

const never = 1 << 30

// operandWords returns the number of registers of an operand.
func (c *code) operandWords(i *instruction, n int) int {
	row := &operations[i.op]
	if row.format == isa.Global && n == row.addressAt() && i.args[len(row.shape)-1] != noOperand {
		return 1 // an offset from the scalar base
	}
	if w := int(row.shape[n].words); w != 0 {
		return w
	}
	return c.target.maskWords()
}

// addressAt returns the index of the address among the operands of an access to global memory.
func (o *operation) addressAt() int { return int(o.results) }

// allocate assigns registers. It returns false if some do not fit, which are then in spilled.
func (s *selector) allocate(a *allocator, l limits) bool {
	a.intervals = a.intervals[:0]
	for n := range s.registers {
		a.intervals = append(a.intervals, interval{uint32(n), never, -1})
	}
	s.addUses(a)
	s.computeLiveness(a)
	s.extendScalars(a)
	list := slices.DeleteFunc(slices.Clone(a.intervals), func(x interval) bool { return x.end < 0 })
	slices.SortFunc(list, func(x, y interval) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.register, y.register))
	})
	a.assigned = make([]int16, len(s.registers))
	a.used = [2]int{}
	a.spilled = a.spilled[:0]
	for bank, count := range [2]int{l.vectors, l.scalars} {
		a.active[bank] = a.active[bank][:0]
		a.free[bank] = [4]uint64{}
		for n := range count {
			a.free[bank][n/64] |= 1 << (n % 64)
		}
	}
	for _, x := range list {
		bank := s.registers[x.register].bank
		a.expire(s, int(bank), x.start)
		if !a.allocateInterval(s, x) {
			a.evict(s, x)
		}
	}
	return len(a.spilled) == 0
}

// addUses extends intervals to all reads and writes of registers.
func (s *selector) addUses(a *allocator) {
	a.vccSpans, a.vccFree = a.vccSpans[:0], 0
	for n := range s.registers {
		if s.registers[n].fixed >= 0 {
			a.intervals[n].start = 0
		}
	}
	for at := range s.list {
		i := &s.list[at]
		shape := operations[i.op].shape
		if operations[i.op].effects&isa.ReadsVCC != 0 && len(a.vccSpans) > 0 {
			a.vccSpans[len(a.vccSpans)-1].end = int32(2*at + 1)
		}
		for n := range i.count {
			o := i.args[n]
			if o == vcc { // live up to the read
				a.vccSpans = append(a.vccSpans, interval{start: int32(2 * at), end: int32(2*at + 1)})
			}
			if !o.virtual() {
				continue
			}
			x := &a.intervals[o.number()]
			position := int32(2 * at)
			if !shape[n].source && s.operandWords(i, int(n)) == 1 && i.count < 5 {
				position++ // it may share the register of a source that ends here
			}
			x.start, x.end = min(x.start, position), max(x.end, position)
		}
	}
}

// computeLiveness finds the vector registers that are live at the begin of each block, and extends
// their intervals to the ends of blocks.
func (s *selector) computeLiveness(a *allocator) {
	count := len(s.blocks)
	words := (len(s.registers) + 63) / 64
	memory := make([]uint64, 7*count*words)
	set := func() (x []uint64) {
		x, memory = memory[:words:words], memory[words:]
		return x
	}
	a.live, a.generated, a.killed = make([][]uint64, count), make([][3][]uint64, count), make([][3][]uint64, count)
	for n := range s.blocks {
		b := &s.blocks[n]
		a.live[n] = set()
		for part := range 3 {
			a.generated[n][part], a.killed[n][part] = set(), set()
		}
		s.genKill(b.first, b.end, b, a.generated[n][2], a.killed[n][2])
		for k, c := range b.copies {
			s.genKill(c.first, c.end, nil, a.generated[n][k], a.killed[n][k])
		}
	}
	for changed := true; changed; {
		changed = false
		for n := count - 1; n >= 0; n-- {
			edges := s.f.Edges(s.f.Last(s.f.Order[n]))
			for w := range words {
				live := uint64(0)
				for k, e := range edges {
					live |= a.live[s.flow.At[e.To]][w]&^a.killed[n][k][w] | a.generated[n][k][w]
				}
				live = live&^a.killed[n][2][w] | a.generated[n][2][w]
				if live != a.live[n][w] {
					a.live[n][w], changed = live, true
				}
			}
		}
	}
	for n := range s.blocks {
		b := &s.blocks[n]
		s.eachBit(a.live[n], func(r uint32) {
			x := &a.intervals[r]
			x.start, x.end = min(x.start, int32(2*b.first)), max(x.end, int32(2*b.first))
		})
		for _, e := range s.f.Edges(s.f.Last(s.f.Order[n])) {
			s.eachBit(a.live[s.flow.At[e.To]], func(r uint32) {
				x := &a.intervals[r]
				x.end = max(x.end, int32(2*b.end-1))
			})
		}
	}
}

// eachBit calls a function for the members of a set.
func (s *selector) eachBit(set []uint64, f func(r uint32)) {
	for n, w := range set {
		for ; w != 0; w &= w - 1 {
			f(uint32(64*n + bits.TrailingZeros64(w)))
		}
	}
}

// genKill finds the vector registers that a range of instructions reads before writing them, and
// those that it writes. Of a block it leaves out the moves of its edges.
func (s *selector) genKill(first, end int, b *block, generated, killed []uint64) {
	for at := end - 1; at >= first; at-- {
		if b != nil && (at >= b.copies[0].first && at < b.copies[0].end || at >= b.copies[1].first && at < b.copies[1].end) {
			continue
		}
		i := &s.list[at]
		shape := operations[i.op].shape
		for n := range i.count {
			if o := i.args[n]; o.kind() == vector && !shape[n].source {
				killed[o.number()/64] |= 1 << (o.number() % 64)
				generated[o.number()/64] &^= 1 << (o.number() % 64)
			}
		}
		for n := range i.count {
			if o := i.args[n]; o.kind() == vector && shape[n].source {
				generated[o.number()/64] |= 1 << (o.number() % 64)
			}
		}
	}
}

// extendScalars extends scalar registers that are defined before a loop and used in it to its end.
func (s *selector) extendScalars(a *allocator) {
	for h, e := range s.flow.LoopEnd {
		if e < 0 {
			continue
		}
		start := s.blocks[h].first
		for s.list[start].op != labelMark || s.list[start].offset != s.flow.starts[h] {
			start++
		}
		for n := range a.intervals {
			x := &a.intervals[n]
			if s.registers[n].bank == scalars && x.start < int32(2*start) && x.end >= int32(2*start) {
				x.end = max(x.end, int32(2*s.blocks[e].end))
			}
		}
	}
}

// expire frees registers of intervals that have ended.
func (a *allocator) expire(s *selector, bank int, start int32) {
	kept := a.active[bank][:0]
	for _, x := range a.active[bank] {
		if x.end < start {
			a.mark(bank, int(a.assigned[x.register]), int(s.registers[x.register].words), true)
		} else {
			kept = append(kept, x)
		}
	}
	a.active[bank] = kept
}

func (a *allocator) mark(bank, first, count int, free bool) {
	for n := first; n < first+count; n++ {
		if free {
			a.free[bank][n/64] |= 1 << (n % 64)
		} else {
			a.free[bank][n/64] &^= 1 << (n % 64)
			a.used[bank] = max(a.used[bank], n+1)
		}
	}
}

// allocateInterval assigns the lowest free registers to an interval, and reports whether there are
// any.
func (a *allocator) allocateInterval(s *selector, x interval) bool {
	r := &s.registers[x.register]
	bank, count := int(r.bank), int(r.words)
	at := -1
	if r.mask && a.allocateVCC(x) {
		a.assigned[x.register] = vccNumber
		return true
	}
	if r.fixed >= 0 {
		at = int(r.fixed)
	} else {
		step := 1
		if count > 1 {
			step = 2
		}
		if count > 2 && bank == scalars {
			step = 4
		}
		for n := 0; n+count <= 256; n += step {
			if a.fits(bank, n, count) {
				at = n
				break
			}
		}
	}
	if at < 0 {
		return false
	}
	a.assigned[x.register] = int16(at)
	a.mark(bank, at, count, false)
	a.active[bank] = append(a.active[bank], x)
	return true
}

// allocateVCC assigns VCC to an interval if neither another interval nor an instruction uses it.
func (a *allocator) allocateVCC(x interval) bool {
	if x.start < a.vccFree {
		return false
	}
	for _, span := range a.vccSpans {
		if x.start <= span.end && x.end >= span.start {
			return false
		}
	}
	a.vccFree = x.end + 1
	return true
}

func (a *allocator) fits(bank, first, count int) bool {
	for n := first; n < first+count; n++ {
		if a.free[bank][n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}

// evict spills the interval that ends last, so that another one gets its registers.
func (a *allocator) evict(s *selector, x interval) {
	bank := int(s.registers[x.register].bank)
	if bank == scalars {
		unsupported(tooManyScalars)
	}
	victim, at := x, -1
	for n, y := range a.active[bank] {
		r := &s.registers[y.register]
		if r.fixed < 0 && !r.spill && r.words >= s.registers[x.register].words && (y.end > victim.end || s.registers[victim.register].spill) {
			victim, at = y, n
		}
	}
	if s.registers[victim.register].spill {
		unsupported("more values at once than there are vector registers")
	}
	a.spilled = append(a.spilled, victim.register)
	if at >= 0 {
		a.mark(bank, int(a.assigned[victim.register]), int(s.registers[victim.register].words), true)
		a.active[bank] = slices.Delete(a.active[bank], at, at+1)
		a.allocateInterval(s, x)
	}
}

// tooManyScalars is the refusal after which uniform values are put into vector registers.
const tooManyScalars = "more masks of lanes than there are scalar registers"

// tooFar is the refusal after which spilled registers are put in front of the kernel's variables.
const tooFar = "more values in private memory than the constants of instructions reach"

// spill moves registers to private memory. Each instruction that reads or writes one gets a new
// register for that.
func (s *selector) spill(list []uint32) {
	offsets := make([]int32, len(s.registers)) // plus 1, or 0 if not spilled
	for _, r := range list {
		end := &s.layout.private
		if s.retry.reservedPrivate > 0 {
			end = &s.spilled
		}
		*end = (*end + 3) &^ 3
		offsets[r] = int32(*end) + 1
		if *end += 4 * uint32(s.registers[r].words); *end > uint32(Traits.HighOffset) {
			unsupported(tooFar)
		}
	}
	old := s.list
	s.list = make([]instruction, 0, len(old)+len(old)/4)
	moved := make([]int, len(old)+1)
	for at := range old {
		moved[at] = len(s.list)
		i := old[at]
		shape := operations[i.op].shape
		type replacement struct{ old, fresh uint32 }
		var replaced [6]replacement
		count := 0
		type write struct {
			o    operand
			slot int32
		}
		var writes []write
		for n := range i.count {
			o := i.args[n]
			if o.kind() != vector || int(o.number()) >= len(offsets) || offsets[o.number()] == 0 {
				continue
			}
			fresh := uint32(0)
			for _, r := range replaced[:count] {
				if r.old == o.number() {
					fresh = r.fresh
				}
			}
			if fresh == 0 {
				fresh = s.fresh(vectors, int(s.registers[o.number()].words)).number()
				s.registers[fresh].spill = true
				replaced[count] = replacement{o.number(), fresh}
				count++
			}
			words := s.operandWords(&i, int(n))
			to := vector | operand(fresh) | o&^(kindMask|numberMask)
			for w := range words {
				slot := offsets[o.number()] - 1 + 4*(int32(o.word())+int32(w))
				if shape[n].source {
					s.emit(opSpillLoad, to.at(w), noOperand, noOperand).offset = slot
				} else {
					writes = append(writes, write{to.at(w), slot})
				}
			}
			i.args[n] = to
		}
		s.append(i)
		for _, w := range writes {
			s.emit(opSpillStore, noOperand, w.o, noOperand).offset = w.slot
		}
	}
	moved[len(old)] = len(s.list)
	for n := range s.blocks {
		b := &s.blocks[n]
		for _, x := range []*span{&b.span, &b.copies[0], &b.copies[1]} {
			x.first, x.end = moved[x.first], moved[x.end]
		}
	}
}

// assign replaces virtual registers by the assigned ones.
func (s *selector) assign(a *allocator) {
	for at := range s.list {
		i := &s.list[at]
		for n := range i.count {
			switch o := i.args[n]; o.kind() {
			case vector:
				i.args[n] = assignedVector | operand(a.assigned[o.number()])&numberMask + operand(o.word())
			case scalarWord:
				i.args[n] = assignedScalar | operand(a.assigned[o.number()])&numberMask + operand(o.word())
			}
		}
	}
}
