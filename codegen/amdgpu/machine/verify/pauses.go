package verify

import "github.com/gpuc/gpuc/codegen/amdgpu/isa"

// This file checks that instructions are far enough apart. In front of each that reads or writes
// what another one is slow to make known, all ways back are searched as far as the rule reaches.

// reach is a rule: between an instruction that does one thing to a register and one that does
// another to it, so many cycles have to pass.
type reach struct {
	name          string
	states        int
	earlier       func(o isa.Op, f isa.Family, slot isa.Slot, words int) bool
	later         func(o isa.Op, f isa.Family, slot isa.Slot) bool
	scalar        bool // of scalar registers, else of vector registers
	unlessWritten bool // what is written once more in between is another value
}

func vectorWrites(o isa.Op, f isa.Family, slot isa.Slot, _ int) bool {
	return slot.Written() && o.Format(f).Vector()
}

func slow(o isa.Op) bool {
	switch o {
	case isa.VExpF32, isa.VLogF32, isa.VRcpF32, isa.VRcpIflagF32, isa.VRsqF32, isa.VSqrtF32, isa.VSinF32, isa.VCosF32, isa.VRcpF64, isa.VRsqF64,
		isa.VRcpF16, isa.VRsqF16, isa.VSqrtF16, isa.VExpF16, isa.VLogF16, isa.VSinF16, isa.VCosF16, isa.VSqrtF64:
		return true
	}
	return false
}

func readsLane(o isa.Op) bool { return o == isa.VReadlaneB32 || o == isa.VReadfirstlaneB32 }

// reaches are the rules of gfx942.
var reaches = []reach{
	{"a scalar register that a vector instruction has written, for memory", 5, vectorWrites, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		format := o.Format(f)
		return slot.Read() && (format == isa.Global || format == isa.Scratch || format == isa.MUBUF)
	}, true, false},
	{"a lane's number that a vector instruction has written", 4, vectorWrites, func(o isa.Op, _ isa.Family, slot isa.Slot) bool {
		return slot.Read() && o == isa.VReadlaneB32
	}, true, false},
	{"a scalar register that a vector instruction has written", 2, vectorWrites, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Read() && o.Format(f).Vector()
	}, true, false},
	{"a lane of what a vector instruction has written", 1, vectorWrites, func(o isa.Op, _ isa.Family, slot isa.Slot) bool {
		return slot.Read() && readsLane(o)
	}, false, false},
	{"what a transcendental instruction has written", 1, func(o isa.Op, _ isa.Family, slot isa.Slot, _ int) bool {
		return slot.Written() && slow(o)
	}, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Read() && o.Format(f).Vector() && !slow(o)
	}, false, true},
	{"what is stored of more than two words", 2, func(o isa.Op, f isa.Family, slot isa.Slot, words int) bool {
		format := o.Format(f)
		return slot.Read() && words > 2 && o.Effects()&isa.Stores != 0 && (format == isa.Global || format == isa.Scratch || format == isa.MUBUF)
	}, func(o isa.Op, f isa.Family, slot isa.Slot) bool {
		return slot.Written() && o.Format(f).Vector()
	}, false, false},
}

// quotientReach is how far a vector instruction that writes VCC has to be in front of v_div_fmas.
const quotientReach = 4

func (v *verifier) pauses() {
	if v.Family != isa.GFX942 {
		return
	}
	for at := range v.Instructions {
		o := v.Instructions[at].Op
		for n := range reaches {
			rule := &reaches[n]
			v.eachRegister(at, func(r register, _ int, slot isa.Slot) {
				if (r >= firstScalar) == rule.scalar && rule.later(o, v.Family, slot) {
					v.search(at, at, rule.states, r, rule)
				}
			})
		}
		v.clause(at, at)
		if o.Effects()&isa.ReadsVCC != 0 && o.Format(v.Family) == isa.VOP3 {
			for r := vccLow; r < vccLow+2; r++ {
				v.search(at, at, quotientReach, r, &reach{name: "VCC", earlier: vectorWrites})
			}
		}
	}
}

// search looks back from an instruction for what is too close to another one, over so many cycles.
func (v *verifier) search(of, from, states int, r register, rule *reach) {
	for _, p := range v.predecessors[from] {
		i := &v.Instructions[p]
		found, written := false, false
		v.eachRegister(p, func(other register, operand int, slot isa.Slot) {
			if other == r {
				found = found || rule.earlier(i.Op, v.Family, slot, i.Words(v.Family, operand))
				written = written || slot.Written()
			}
		})
		if found {
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

// clause checks that an access to memory writes nothing that those right in front of it read, which
// hardware may have to begin again after it ("SMEM and VMEM clauses" of LLVM's
// checkSoftClauseHazards, for page faults that are retried).
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
