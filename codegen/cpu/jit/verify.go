package jit

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file checks the assignment of registers. An abstract interpretation of the finished code,
// beside the code before registers were assigned, follows which values are where. Whatever an
// instruction reads must be the value that it read before. It knows of the allocator only which
// instructions are the same in both, by their numbers in Source; those without a number must be
// copies. Where ways come together, a location holds what it holds on all of them.

// verified assigns registers and checks what became of them.
func (s *selector) verified(fixed int32) (contextBytes int32) {
	before := slices.Clone(s.list)
	registers := len(s.banks)
	for n := range s.list {
		s.list[n].Source = uint32(n + 1)
	}
	contextBytes = s.allocate(&s.allocator, fixed)
	if err := checkAssignment(before, s.list, s.labs, fixed, contextBytes, registers); err != nil {
		panic(fmt.Sprintf("jit: %v", err))
	}
	for n := range s.list {
		if x := s.list[n].Source; x != 0 {
			s.list[n].Source = before[x-1].Source
		}
	}
	return contextBytes
}

// locations are registers and what is kept in the context; each holds values, which are registers
// of the code before.
const (
	firstVectorPlace = 16
	firstSlotPlace   = 48
)

// checker is the working memory.
type checker struct {
	before, after    []amd64.Instruction
	slots            int32 // where in the context registers are kept
	locations, words int
	uses             []amd64.Use
	firsts           []int // by value: see findFirsts
}

// state is, by location, the set of values that it holds, and after those of all locations that of
// the values that have been assigned.
type state []uint64

// checkAssignment compares code before and after registers were assigned. Locations in the context
// from slots up to end are those of registers.
func checkAssignment(before, after []amd64.Instruction, labels int, slots, end int32, registers int) error {
	c := checker{before: before, after: after, slots: slots, locations: firstSlotPlace + int(end-slots+31)/32,
		words: (registers + 63) / 64}
	c.findFirsts(registers)
	var l liveness
	l.split(after, labels)
	states := make([]state, len(l.runs))
	states[0] = make(state, (c.locations+1)*c.words)
	var now state
	pending := make([]bool, len(l.runs))
	pending[0] = true
	for slices.Contains(pending, true) { // in the order of the text, from its beginning
		for n := range l.runs {
			if !pending[n] {
				continue
			}
			pending[n] = false
			now = append(now[:0], states[n]...)
			next := l.runs[n].next
			if err := c.walk(now, l.runs[n].first, l.runs[n].end, false); err != nil {
				return err
			}
			for _, to := range next {
				if to >= 0 && c.meet(&states[to], now) {
					pending[to] = true
				}
			}
		}
	}
	for n := range l.runs {
		if states[n] == nil {
			continue
		}
		if err := c.walk(append(state(nil), states[n]...), l.runs[n].first, l.runs[n].end, true); err != nil {
			return err
		}
	}
	return nil
}

// meet makes a state what it and another one have in common, and reports whether it has changed.
func (c *checker) meet(x *state, y state) bool {
	if *x == nil {
		*x = append(state(nil), y...)
		return true
	}
	changed := false
	mine, other := c.set(*x, c.locations), c.set(y, c.locations)
	for p := range c.locations {
		in, from := c.set(*x, p), c.set(y, p)
		for w := range in {
			if both := in[w]&from[w] | in[w]&^other[w] | from[w]&^mine[w]; both != in[w] {
				in[w], changed = both, true
			}
		}
	}
	for w := range mine {
		if other[w]&^mine[w] != 0 {
			mine[w], changed = mine[w]|other[w], true
		}
	}
	return changed
}

// value returns the number of a register of the code before.
func (c *checker) value(o amd64.Operand) int {
	return o.Number() - amd64.FirstVirtual
}

// locationOf returns where an operand is, or -1 if that is no location.
func (c *checker) locationOf(i *amd64.Instruction, o amd64.Operand) int {
	switch o.Kind() {
	case amd64.KindGeneral:
		return o.Number()
	case amd64.KindVector:
		return firstVectorPlace + o.Number()
	case amd64.KindMemory:
		if a := &i.Address; a.Base == contextRegister && a.Index == 0 && a.Displacement >= c.slots {
			if n := firstSlotPlace + int(a.Displacement-c.slots)/32; n < c.locations && (a.Displacement-c.slots)%32 == 0 {
				return n
			}
		}
	}
	return -1
}

func (c *checker) set(x state, location int) []uint64 {
	return x[location*c.words : (location+1)*c.words]
}

func (c *checker) holds(x state, location, value int) bool {
	return c.set(x, location)[value/64]>>(value%64)&1 == 1
}

// define makes a location hold a value, and no other location.
func (c *checker) define(x state, location, value int) {
	for p := range c.locations {
		c.set(x, p)[value/64] &^= 1 << (value % 64)
	}
	c.set(x, c.locations)[value/64] |= 1 << (value % 64)
	if location >= 0 {
		s := c.set(x, location)
		clear(s)
		s[value/64] |= 1 << (value % 64)
	}
}

// walk goes through instructions. Numbers that are left out are of moves whose registers have
// become one.
func (c *checker) walk(x state, first, end int32, check bool) error {
	for at := first; at < end; at++ {
		i := &c.after[at]
		if i.Source == 0 {
			if err := c.copied(x, i); err != nil {
				return err
			}
			continue
		}
		// what was left out in front of a location is of those who come there by the text
		if i.Op != amd64.Mark {
			if err := c.gap(x, at); err != nil {
				return err
			}
		}
		if i.Op == amd64.Mark {
			c.forget(x, int(i.Source)-1)
		}
		if err := c.compare(x, &c.before[i.Source-1], i, check); err != nil {
			return fmt.Errorf("instruction %d, %s, once %s: %w", at, amd64.AppendText(nil, i), amd64.AppendText(nil, &c.before[i.Source-1]), err)
		}
	}
	if int(end) < len(c.after) && c.after[end].Op == amd64.Mark {
		return c.gap(x, end)
	}
	return nil
}

// forget makes values unassigned whose first assignment is behind an instruction in the text: they
// are left from an earlier iteration.
func (c *checker) forget(x state, at int) {
	assigned := c.set(x, c.locations)
	for value, first := range c.firsts {
		if first > at {
			assigned[value/64] &^= 1 << (value % 64)
		}
	}
}

// findFirsts finds where values are assigned first, or -1 if the text reads them before.
func (c *checker) findFirsts(registers int) {
	c.firsts = make([]int, registers)
	for at := range c.before {
		c.uses = c.before[at].VirtualUses(c.uses[:0])
		for _, u := range c.uses {
			if first := &c.firsts[c.value(u.Register)]; *first == 0 {
				if *first = at; u.Access&amd64.Read != 0 {
					*first = -1
				}
			}
		}
	}
}

// gap executes what was left out in front of an instruction.
func (c *checker) gap(x state, at int32) error {
	for n := c.last(at) + 1; n < int(c.after[at].Source)-1; n++ {
		if err := c.leftOut(x, &c.before[n]); err != nil {
			return fmt.Errorf("instruction %d: %w", n, err)
		}
	}
	return nil
}

// last returns the number of the instruction in front of one of the finished code that has a
// number, or -1.
func (c *checker) last(at int32) int {
	for at--; at >= 0; at-- {
		if n := c.after[at].Source; n != 0 {
			return int(n) - 1
		}
	}
	return -1
}

// copied executes a copy that was added.
func (c *checker) copied(x state, i *amd64.Instruction) error {
	if i.Op != amd64.Mov && i.Op != amd64.VMovUPS || i.Width != amd64.Wide {
		return fmt.Errorf("the instruction %s was added and is no copy", amd64.AppendText(nil, i))
	}
	to, from := c.locationOf(i, i.Operands[0]), c.locationOf(i, i.Operands[1])
	if to < 0 || from < 0 {
		return fmt.Errorf("the copy %s is not between locations of registers", amd64.AppendText(nil, i))
	}
	copy(c.set(x, to), c.set(x, from))
	return nil
}

// leftOut executes a move between registers that have become one location. A copy of what has not
// been assigned has not been assigned either.
func (c *checker) leftOut(x state, v *amd64.Instruction) error {
	if v.Op != amd64.Mov && v.Op != amd64.VMovUPS || v.Width != amd64.Wide || !v.Operands[0].IsVirtual() || !v.Operands[1].IsRegister() {
		return fmt.Errorf("%s was left out", amd64.AppendText(nil, v))
	}
	to, from := c.value(v.Operands[0]), c.value(v.Operands[1])
	for p := range c.locations + 1 {
		s := c.set(x, p)
		s[to/64] &^= 1 << (to % 64)
		if s[from/64]>>(from%64)&1 == 1 {
			s[to/64] |= 1 << (to % 64)
		}
	}
	return nil
}

// compare executes an instruction that is in both.
func (c *checker) compare(x state, v, i *amd64.Instruction, check bool) error {
	if v.Op != i.Op {
		return fmt.Errorf("it is another one")
	}
	if (v.Op == amd64.Jmp || v.Op == amd64.Jcc) && v.Operands[0] != i.Operands[0] {
		return fmt.Errorf("it leads to another place")
	}
	type pair struct {
		value, location int
		access          amd64.Access
	}
	var pairs [8]pair
	count := 0
	add := func(old amd64.Operand, location int, access amd64.Access) {
		if old.IsVirtual() {
			pairs[count] = pair{c.value(old), location, access}
			count++
		}
	}
	cleared := v.Cleared()
	for n, o := range v.Operands {
		access := v.Op.Access(n)
		if cleared && access == amd64.Read {
			access = 0
		}
		add(o, c.locationOf(i, i.Operands[n]), access)
	}
	if v.Address.Base.IsVirtual() {
		add(v.Address.Base, c.locationOf(i, i.Address.Base), amd64.Read)
	}
	if v.Address.Index.IsVirtual() {
		add(v.Address.Index, c.locationOf(i, i.Address.Index), amd64.Read)
	}
	for _, p := range pairs[:count] {
		if check && p.access&amd64.Read != 0 && (p.location < 0 || !c.holds(x, p.location, p.value)) && c.holds(x, c.locations, p.value) {
			return fmt.Errorf("value %d is not where it is read", p.value)
		}
	}
	c.uses = i.Uses(c.uses[:0])
	for _, u := range c.uses { // registers that instructions name themselves
		if u.Access&amd64.Written != 0 {
			clear(c.set(x, c.locationOf(i, u.Register)))
		}
	}
	for _, p := range pairs[:count] {
		if p.access&amd64.Written != 0 {
			c.define(x, p.location, p.value)
		}
	}
	return nil
}
