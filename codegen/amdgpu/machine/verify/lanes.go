package verify

import "github.com/gpuc/gpuc/codegen/amdgpu/isa"

// This file checks that lanes which wait in a register are let in, once: between the instruction
// that adds them to it and the one that makes them active nothing else writes the register, and
// when they are in, it is emptied before others are added or it is let in again.

// queue is what may be in a scalar register: a set.
type queue uint8

const (
	elsewhere queue = 1 << iota // something else
	empty                       // no lanes
	parked                      // lanes that wait
	admitted                    // lanes that are in already
)

func (v *verifier) lanes() {
	states := make([][128]queue, len(v.Instructions))
	for r := range states[0] {
		states[0][r] = elsewhere
	}
	var now [128]queue
	step := func(at int) {
		now = states[at]
		v.lane(at, &now)
	}
	join := func(_, to int) bool {
		more := false
		for r := range now {
			if states[to][r]|now[r] != states[to][r] {
				states[to][r] |= now[r]
				more = true
			}
		}
		return more
	}
	v.flow(step, join)
}

// lane goes behind an instruction.
func (v *verifier) lane(at int, now *[128]queue) {
	i := &v.Instructions[at]
	role := None
	if at < len(v.Roles) {
		role = v.Roles[at]
	}
	is := func(n int) register {
		if o := i.Operands[n]; o.Kind() == isa.KindSGPR {
			return register(o.Number())
		}
		return -1
	}
	words := register(v.Family.MaskWords())
	switch role {
	case Park:
		r := is(0)
		if r < 0 || now[r]&(elsewhere|admitted) != 0 {
			v.fail(at, "lanes are added to what is not empty: %d", now[max(r, 0)])
			return
		}
		now[r], now[r+words-1] = parked, parked
		return
	case Admit:
		r := is(2)
		if r < 0 || now[r]&(elsewhere|admitted) != 0 {
			v.fail(at, "lanes become active that do not wait: %d", now[max(r, 0)])
			return
		}
		now[r], now[r+words-1] = admitted, admitted
		return
	}
	if i.Op.Effects()&isa.Ends != 0 {
		for r := range now {
			if now[r]&parked != 0 {
				v.fail(at, "lanes wait in s%d", r)
			}
		}
	}
	v.eachRegister(at, func(r register, operand int, slot isa.Slot) {
		if r < firstScalar || r >= vccLow {
			return
		}
		r -= firstScalar
		if slot.Written() {
			if now[r]&parked != 0 {
				v.fail(at, "lanes that wait in s%d are lost", r)
			}
			if now[r] = elsewhere; role == Empty && operand == 0 {
				now[r] = empty
			}
		}
	})
}
