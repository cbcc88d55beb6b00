package verify

import "github.com/gpuc/gpuc/codegen/amdgpu/isa"

// This file checks that parked lanes are resumed exactly once. Between the instruction that parks
// lanes in a mask and the one that resumes them nothing else writes the register. After that the
// mask is cleared before it is used again.

// content is what a scalar register may contain: a set.
type content uint8

const (
	other   content = 1 << iota // another value
	empty                       // a mask without lanes
	parked                      // a mask of waiting lanes
	resumed                     // a mask of lanes that were resumed
)

func (v *verifier) checkMasks() {
	states := make([][128]content, len(v.Instructions))
	for r := range states[0] {
		states[0][r] = other
	}
	var now [128]content
	step := func(at int) {
		now = states[at]
		v.stepMask(at, &now)
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

// stepMask checks an instruction and updates the state for it.
func (v *verifier) stepMask(at int, now *[128]content) {
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
		if r < 0 || now[r]&(other|resumed) != 0 {
			v.fail(at, "lanes are added to what is not empty: %d", now[max(r, 0)])
			return
		}
		now[r], now[r+words-1] = parked, parked
		return
	case Resume:
		r := is(2)
		if r < 0 || now[r]&(other|resumed) != 0 {
			v.fail(at, "lanes become active that do not wait: %d", now[max(r, 0)])
			return
		}
		now[r], now[r+words-1] = resumed, resumed
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
			if now[r] = other; role == Clear && operand == 0 {
				now[r] = empty
			}
		}
	})
}
