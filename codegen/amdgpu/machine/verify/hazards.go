package verify

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file checks wait states. Before each instruction, all paths back are searched as far as a
// rule reaches.

// hazard is a rule: the wait states needed between an instruction that accesses a register in one
// way and a later one that accesses it in another way.
type hazard struct {
	name   string
	states int // wait states
	// earlier and later report whether an instruction accesses an operand in the one or other way
	earlier       func(o isa.Op, f isa.Family, slot isa.Slot, words int) bool
	later         func(o isa.Op, f isa.Family, slot isa.Slot) bool
	scalar        bool // of scalar registers, else of vector registers
	unlessWritten bool // another write in between ends the hazard
	// unless is when two instructions have no hazard after all, if it is not nil
	unless func(earlier, later *isa.Instruction) bool
}

func vectorWrites(o isa.Op, f isa.Family, slot isa.Slot, _ int) bool {
	return slot.Written() && o.Format(f).Vector()
}

func transcendental(o isa.Op) bool {
	switch o {
	case isa.VExpF32, isa.VLogF32, isa.VRcpF32, isa.VRcpIflagF32, isa.VRsqF32, isa.VSqrtF32, isa.VSinF32, isa.VCosF32, isa.VRcpF64, isa.VRsqF64,
		isa.VRcpF16, isa.VRsqF16, isa.VSqrtF16, isa.VExpF16, isa.VLogF16, isa.VSinF16, isa.VCosF16, isa.VSqrtF64:
		return true
	}
	return false
}

func readsLane(o isa.Op) bool { return o == isa.VReadlaneB32 || o == isa.VReadfirstlaneB32 }

// hazards are those of gfx942.
var hazards = []hazard{
	{"an access to memory that reads a scalar register that a vector instruction writes", 5, vectorWrites, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		format := o.Format(f)
		return slot.Read() && (format == isa.Global || format == isa.Scratch || format == isa.MUBUF)
	}, true, false, nil},
	{"v_readlane with a lane index that a vector instruction writes", 4, vectorWrites, func(o isa.Op, _ isa.Family, slot isa.Slot) bool {
		return slot.Read() && o == isa.VReadlaneB32
	}, true, false, nil},
	{"a vector instruction that reads a scalar register that another one writes", 2, vectorWrites, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Read() && o.Format(f).Vector()
	}, true, false, nil},
	{"v_readlane of a register that a vector instruction writes", 1, vectorWrites, func(o isa.Op, _ isa.Family, slot isa.Slot) bool {
		return slot.Read() && readsLane(o)
	}, false, false, nil},
	{"the result of a transcendental instruction", 1, func(o isa.Op, _ isa.Family, slot isa.Slot, _ int) bool {
		return slot.Written() && transcendental(o)
	}, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Read() && o.Format(f).Vector() && !transcendental(o)
	}, false, true, nil},
	{"a write to the data of a store of more than two words", 2, func(o isa.Op, f isa.Family, slot isa.Slot, words int) bool {
		format := o.Format(f)
		return slot.Read() && words > 2 && o.Effects()&isa.Stores != 0 && (format == isa.Global || format == isa.Scratch || format == isa.MUBUF)
	}, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Written() && o.Format(f).Vector()
	}, false, false, nil},
}

// divFmasStates are the wait states between a vector instruction that writes VCC and v_div_fmas.
const divFmasStates = 4

func (v *verifier) checkHazards() {
	if v.Family != isa.GFX942 {
		return
	}
	rules := hazards
	if slices.ContainsFunc(v.Instructions, func(i isa.Instruction) bool { return i.Op.Format(v.Family) == isa.MAI }) {
		rules = slices.Concat(hazards, matrixHazards())
		v.checkDoubles()
	}
	for at := range v.Instructions {
		o := v.Instructions[at].Op
		for n := range rules {
			rule := &rules[n]
			v.eachRegister(at, func(r register, _ int, slot isa.Slot) {
				if (r >= firstScalar) == rule.scalar && rule.later(o, v.Family, slot) {
					v.search(at, at, rule.states, r, rule)
				}
			})
		}
		v.clause(at, at)
		if o.Effects()&isa.ReadsVCC != 0 && o.Format(v.Family) == isa.VOP3 {
			for r := vccLow; r < vccLow+2; r++ {
				v.search(at, at, divFmasStates, r, &hazard{name: "VCC", earlier: vectorWrites})
			}
		}
	}
}

// search looks back from an instruction, over the given number of wait states, for one that it is
// too close to.
func (v *verifier) search(of, from, states int, r register, rule *hazard) {
	for _, p := range v.predecessors[from] {
		i := &v.Instructions[p]
		found, written := false, false
		v.eachRegister(p, func(other register, operand int, slot isa.Slot) {
			if other == r {
				found = found || rule.earlier(i.Op, v.Family, slot, i.Words(v.Family, operand))
				written = written || slot.Written()
			}
		})
		if found && (rule.unless == nil || !rule.unless(i, &v.Instructions[of])) {
			v.fail(of, "it is too close to instruction %d, for %s", p, rule.name)
			return
		}
		left := states - 1
		if i.Op == isa.SNop {
			left = states - 1 - int(i.Immediate)
		}
		if left > 0 && !(written && rule.unlessWritten) {
			v.search(of, p, left, r, rule)
		}
	}
}

// clause checks that an access to memory does not write what the accesses right before it read.
// After a page fault the hardware may begin those again ("SMEM and VMEM clauses" of LLVM's
// checkSoftClauseHazards).
func (v *verifier) clause(of, from int) {
	format := v.Instructions[of].Op.Format(v.Family)
	if format != isa.SMEM && format != isa.Global && format != isa.Scratch {
		return
	}
	for _, p := range v.predecessors[from] {
		if v.Instructions[p].Op.Format(v.Family) != format {
			continue
		}
		v.eachRegister(p, func(r register, _ int, slot isa.Slot) {
			if !slot.Read() {
				return
			}
			v.eachRegister(of, func(other register, _ int, written isa.Slot) {
				if other == r && written.Written() {
					v.fail(of, "it writes what instruction %d reads, and may be begun before that is begun again", p)
				}
			})
		})
		v.clause(of, p)
	}
}
