package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file has code return in the middle of loops and be resumed there later. As long as it runs,
// the garbage collector waits, and so does whoever would end the launch.
//
// A preemption point is a jump that is hardly ever taken, and that comes back with all registers of
// the machine as they were. So nothing has to know what is live there. Until registers have been
// assigned, the jump leads to a label without a position, which is no path of execution. Then its
// target is appended after all other code. It sets the index of the preemption point; one piece of
// code for all keeps the registers in the context and returns.

// preemptionPoint is a position where code may return.
type preemptionPoint struct {
	cold, back int  // labels: of what returns, and of where execution goes on
	used       bool // something leads there
}

// poll charges an iteration of a loop: when the budget is used up, the code returns and is resumed
// here.
func (s *selector) poll() {
	s.burnUnchecked(1)
	p := preemptionPoint{cold: s.label(), back: s.label()}
	s.jumpIf(amd64.Below, p.cold)
	s.preemptions = append(s.preemptions, p)
}

// registerCount is how many registers a machine has in a bank at most, and keptBytes how much
// memory those of both take.
const (
	registerCount = 32
	keptBytes     = registerCount * (32 + 8)
)

// emitPreemption puts in what pauses lead to, once registers have been assigned. It takes the size
// of the context, after which registers are kept, and returns the new one.
func (s *selector) emitPreemption(contextBytes int32) int32 {
	s.fillFuel(s.list)
	if len(s.preemptions) == 0 {
		return contextBytes
	}
	kept := (contextBytes + 31) &^ 31
	keep, resume := s.label(), s.label()
	old := s.renew()
	s.list = append(s.list, old[0]) // the address of the context
	s.compareContext(contextPoint, 0)
	s.jumpIf(amd64.NotEqual, resume)
	from := 1
	for n := from; n < len(old); n++ {
		if old[n].Op != amd64.Jcc {
			continue
		}
		if k := s.fuelCounter.preemptions[old[n].Operands[0].Number()]; k != 0 {
			s.list = append(s.list, old[from:n+1]...)
			from = n + 1
			s.mark(s.preemptions[k-1].back)
			s.preemptions[k-1].used = true
		}
	}
	s.list = append(s.list, old[from:]...)
	s.preemptions = slices.DeleteFunc(s.preemptions, func(p preemptionPoint) bool { return !p.used })
	for n := range s.preemptions {
		s.mark(s.preemptions[n].cold)
		s.setContext(contextPoint, int64(n+1))
		s.jump(keep)
	}
	s.mark(keep)
	s.keepRegisters(kept, false)
	s.immediate(amd64.Mov, amd64.Narrow, statusPreempted, amd64.RAX)
	s.emit(amd64.Ret, 0)
	s.mark(resume)
	s.load(amd64.Mov, amd64.Narrow, amd64.RAX, s.context(contextPoint))
	s.setContext(contextPoint, 0)
	s.keepRegisters(kept, true)
	for n := range s.preemptions {
		s.compareWith(amd64.Narrow, amd64.RAX, int64(n+1))
		s.jumpIf(amd64.Equal, s.preemptions[n].back)
	}
	s.emit(amd64.UD2, 0)
	return kept + keptBytes
}

// keepRegisters stores all registers that are assigned in the context, or loads them.
func (s *selector) keepRegisters(at int32, load bool) {
	available := &s.machine.row().available
	for n := range registerCount {
		if available[vectors]>>n&1 == 1 {
			s.keep(amd64.Vector(n), s.context(at+32*int32(n)), load)
		}
		if available[generals]>>n&1 == 1 {
			s.keep(amd64.General(n), s.context(at+32*registerCount+8*int32(n)), load)
		}
	}
}
