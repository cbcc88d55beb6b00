package verify

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file checks that no lane is lost within a basic block. Each lane that is active at its begin
// is active at its end, is parked, or has ended. The analysis partitions the lanes symbolically: a
// condition splits each set of lanes into two.

// laneSet is a union of the sets of the partition, one bit for each. A block has fewer than 64.
type laneSet uint64

// partition is the state within a basic block.
type partition struct {
	count   int
	active  laneSet
	seen    laneSet // all that have been active in the block
	waiting laneSet
	values  [128]laneSet
	known   [128]bool
	splits  []split
}

// split is a condition that has split a set of lanes: chosen are those for which it holds.
type split struct {
	of             laneSet
	condition      isa.Operand
	others, chosen laneSet
}

func (v *verifier) checkPartition() {
	entered := make([]bool, len(v.Instructions)+1)
	for n, t := range v.Targets {
		if v.Instructions[n].Op.Effects()&isa.Jumps != 0 {
			entered[t] = true
		}
	}
	var p partition
	p.begin()
	for at := range v.Instructions {
		if at > 0 && (entered[at] || v.Instructions[at-1].Op.Effects()&isa.Jumps != 0) {
			p.check(v, at-1)
			p.begin()
		}
		p.step(v, at)
	}
}

func (p *partition) begin() {
	*p = partition{count: 1, active: 1, seen: 1, splits: p.splits[:0]}
}

// check is the end of a block.
func (p *partition) check(v *verifier, at int) {
	if lost := p.seen &^ (p.active | p.waiting); lost != 0 {
		v.fail(at, "lanes that were active are lost: sets %b of %b", lost, p.seen)
	}
}

// fresh returns a new set of the partition.
func (p *partition) fresh(v *verifier, at int) laneSet {
	if p.count == 64 {
		v.fail(at, "a basic block has too many conditions to be followed")
		return 0
	}
	p.count++
	return 1 << (p.count - 1)
}

// valueOf returns the lanes in a mask, and whether they are known.
func (p *partition) valueOf(o isa.Operand) (laneSet, bool) {
	switch {
	case o == isa.EXEC:
		return p.active, true
	case scalarNumber(o) >= 0:
		return p.values[scalarNumber(o)], p.known[scalarNumber(o)]
	}
	return 0, o == isa.Constant(0)
}

// scalarNumber returns the number of a scalar register or VCC, or else -1.
func scalarNumber(o isa.Operand) register {
	switch {
	case o == isa.VCC:
		return vccLow - firstScalar
	case o.Kind() == isa.KindSGPR:
		return register(o.Number())
	}
	return -1
}

// choose splits the active lanes by a condition, and returns those for which it holds, or else the
// others.
func (p *partition) choose(v *verifier, at int, condition isa.Operand, holds bool) laneSet {
	for _, s := range p.splits {
		if s.condition == condition && s.of == p.active {
			if holds {
				return s.chosen
			}
			return s.others
		}
	}
	s := split{condition: condition, others: p.active}
	for n := range p.count {
		one := laneSet(1) << n
		if p.active&one == 0 {
			continue
		}
		other := p.fresh(v, at)
		s.chosen |= other
		for _, set := range []*laneSet{&p.active, &p.seen, &p.waiting} {
			if *set&one != 0 {
				*set |= other
			}
		}
		for r := range p.values {
			if p.known[r] && p.values[r]&one != 0 {
				p.values[r] |= other
			}
		}
	}
	s.of = p.active
	p.splits = append(p.splits, s)
	if holds {
		return s.chosen
	}
	return s.others
}

// step checks an instruction and updates the state for it.
func (p *partition) step(v *verifier, at int) {
	i := &v.Instructions[at]
	role := None
	if at < len(v.Roles) {
		role = v.Roles[at]
	}
	switch role {
	case Park:
		x, known := p.valueOf(i.Operands[2])
		if !known {
			v.fail(at, "it is not known which lanes are to wait")
		}
		p.waiting |= x
		return
	case Resume:
		more := p.fresh(v, at)
		p.active |= more
		p.seen |= more
		return
	case Exit:
		p.active, p.seen = 0, p.seen&^p.active
		return
	}
	value, known := laneSet(0), false
	switch i.Op {
	case isa.SAndB64, isa.SAndB32:
		if i.Operands[1] == isa.EXEC {
			value, known = p.choose(v, at, i.Operands[2], true), true
		}
	case isa.SAndNot1B64, isa.SAndNot1B32:
		if i.Operands[1] == isa.EXEC {
			value, known = p.choose(v, at, i.Operands[2], false), true
		}
	case isa.SOrB64, isa.SOrB32:
		x, knownX := p.valueOf(i.Operands[1])
		y, knownY := p.valueOf(i.Operands[2])
		value, known = x|y, knownX && knownY
	case isa.SMovB64, isa.SMovB32:
		value, known = p.valueOf(i.Operands[1])
	}
	if i.Operands[0] == isa.EXEC && i.Op.Slots()[0].Written() {
		if !known {
			v.fail(at, "it is not known which lanes become active")
		}
		p.active = value
		return
	}
	v.eachRegister(at, func(r register, operand int, slot isa.Slot) {
		if r < firstScalar || r >= all || !slot.Written() {
			return
		}
		r -= firstScalar
		p.known[r], p.values[r] = known && operand == 0, value
		// conditions in the register are no longer known
		p.splits = slices.DeleteFunc(p.splits, func(s split) bool {
			first := scalarNumber(s.condition)
			return first >= 0 && r >= first && r < first+register(v.Family.MaskWords())
		})
	})
}
