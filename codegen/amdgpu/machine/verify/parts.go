package verify

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file checks that of the lanes that are active where a run of instructions begins each goes
// on where it ends: it is active, waits in a register for others to come to where it goes, or has
// come to its end. Lanes are parts of what was active; a condition splits each.

// part is a set of parts: 64 are more than a run has.
type part uint64

// parting is what is known in a run.
type parting struct {
	count   int
	active  part
	there   part // all that have been active
	waiting part
	values  [128]part
	known   [128]bool
	splits  []split
}

// split is a condition by which lanes have been split: those for which it holds not, and those for
// which it does.
type split struct {
	of           part
	condition    isa.Operand
	rest, chosen part
}

func (v *verifier) parting() {
	entered := make([]bool, len(v.Instructions)+1)
	for n, t := range v.Targets {
		if v.Instructions[n].Op.Effects()&isa.Jumps != 0 {
			entered[t] = true
		}
	}
	var p parting
	p.begin()
	for at := range v.Instructions {
		if at > 0 && (entered[at] || v.Instructions[at-1].Op.Effects()&isa.Jumps != 0) {
			p.check(v, at-1)
			p.begin()
		}
		p.step(v, at)
	}
}

func (p *parting) begin() {
	*p = parting{count: 1, active: 1, there: 1, splits: p.splits[:0]}
}

// check is the end of a run.
func (p *parting) check(v *verifier, at int) {
	if lost := p.there &^ (p.active | p.waiting); lost != 0 {
		v.fail(at, "lanes that were active are lost: parts %b of %b", lost, p.there)
	}
}

// fresh returns a part that nothing has yet.
func (p *parting) fresh(v *verifier, at int) part {
	if p.count == 64 {
		v.fail(at, "lanes part too often to be followed")
		return 0
	}
	p.count++
	return 1 << (p.count - 1)
}

// valueOf returns which lanes a register has.
func (p *parting) valueOf(o isa.Operand) (part, bool) {
	switch {
	case o == isa.EXEC:
		return p.active, true
	case scalarNumber(o) >= 0:
		return p.values[scalarNumber(o)], p.known[scalarNumber(o)]
	}
	return 0, o == isa.Constant(0)
}

// scalarNumber returns the number of a scalar register, or of VCC; else -1.
func scalarNumber(o isa.Operand) register {
	switch {
	case o == isa.VCC:
		return vccLow - firstScalar
	case o.Kind() == isa.KindSGPR:
		return register(o.Number())
	}
	return -1
}

// choose splits the active lanes by a condition, and returns those for which it holds, or the
// others.
func (p *parting) choose(v *verifier, at int, condition isa.Operand, holds bool) part {
	for _, s := range p.splits {
		if s.condition == condition && s.of == p.active {
			if holds {
				return s.chosen
			}
			return s.rest
		}
	}
	s := split{condition: condition, rest: p.active}
	for n := range p.count {
		one := part(1) << n
		if p.active&one == 0 {
			continue
		}
		other := p.fresh(v, at)
		s.chosen |= other
		for _, set := range []*part{&p.active, &p.there, &p.waiting} {
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
	return s.rest
}

// step goes behind an instruction.
func (p *parting) step(v *verifier, at int) {
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
	case Admit:
		more := p.fresh(v, at)
		p.active |= more
		p.there |= more
		return
	case Leave:
		p.active, p.there = 0, p.there&^p.active
		return
	}
	value, known := part(0), false
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
		p.splits = slices.DeleteFunc(p.splits, func(s split) bool { // the condition is another one
			first := scalarNumber(s.condition)
			return first >= 0 && r >= first && r < first+register(v.Family.MaskWords())
		})
	})
}
