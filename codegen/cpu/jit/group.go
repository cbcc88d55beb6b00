package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file emits what is around the blocks: the loops over workgroups, over the phases between
// barriers and over blocks of lanes, and the builtin values.
//
//	            back to block, if the code has returned there
//	workgroup:  phase = 0
//	phase:      block = 0
//	block:      return, if the budget is used up; go on here
//	            the code of the phase, up to a barrier or the kernel's end, where the
//	            next phase begins, the same for all blocks
//	advance:    block + 1, and as long as there are blocks, to block
//	ended:      phase = that one, and as long as there are phases, to phase
//	            the next workgroup, as long as there are some
//
// Values that are live at a barrier are kept in the block's frame (barriers.go).

// contextRegister has the address of the context.
const contextRegister = amd64.R15

// The context, by offsets: what the caller fills in (Code.Run), and what the code keeps there.
const (
	contextStop       = 0 // not 0: end
	contextGroups     = 8 // how many workgroups there are left, of 64 bits
	contextGroup      = 16
	contextGrid       = 28
	contextExtent     = 40
	contextWorkgroup  = 56
	contextImmediates = 64
	contextFrames     = 72
	contextConstants  = 80
	contextTables     = 88
	contextFrame      = 96  // that of the block
	contextFirst      = 104 // the first invocation of the block
	contextPhase      = 108
	contextEarlyOut   = 112 // not 0: the blocks that follow have nothing to do in this phase
	contextFollows    = 116 // what follows for the first block
	contextFuel       = 4   // how much more is executed before the code returns: see fuel.go
	contextPoint      = 52  // where in a loop it has returned, or 0
	contextResume     = 120 // not 0: go on where the code has returned
	contextCall       = 124 // not 0: the Call that Go is to execute, from 1
	contextSlots      = 128
	slotBytes         = 64
	slots             = 4
	contextBindings   = contextSlots + slots*slotBytes
	bindingBytes      = 16
)

// What the code returns.
const (
	statusDone      = 0
	statusStopped   = 1
	statusDiverged  = 2
	statusPreempted = 3 // the budget is used up
)

// lastPhase is what follows the last phase.
const lastPhase = -1

// lanes is how many invocations a block has.
const lanes = lower.BlockLanes

// blocks returns how many blocks of lanes a workgroup has: those of whole subgroups, if it has
// operations of these.
func blocks(p *lower.Program) int64 {
	together := p.BlockSize()
	return int64((p.Invocations()+together-1)/together) * int64(together/lanes)
}

// isAlone reports whether all blocks of lanes of a workgroup are executed together.
func (s *selector) isAlone() bool { return blocks(s.p) == int64(len(s.sets)) }

// hasDead reports whether blocks have lanes that are no invocations.
func (s *selector) hasDead() bool { return int64(s.p.Invocations()) != blocks(s.p)*lanes }

func (s *selector) context(at int32) amd64.Address { return amd64.At(contextRegister, at) }

func (s *selector) setContext(at int32, n int64) {
	s.immediate(amd64.Mov, amd64.Narrow, n, amd64.Mem)
	s.list[len(s.list)-1].Address = s.context(at)
}

func (s *selector) compareContext(at int32, n int64) {
	s.immediate(amd64.Cmp, amd64.Narrow, n, amd64.Mem)
	s.list[len(s.list)-1].Address = s.context(at)
}

// enterGroup emits the code in front of the blocks.
func (s *selector) enterGroup(argument amd64.Operand) {
	s.emit(amd64.Mov, amd64.Wide, contextRegister, argument)
	s.compareContext(contextResume, 0)
	begins := s.resumed
	if len(s.hoisted) > 0 {
		begins = s.begins
	}
	s.jumpIf(amd64.NotEqual, begins)
	s.mark(s.workgroup)
	s.clearWorkgroup()
	s.setContext(contextPhase, 0)
	s.enterHoisted()
	s.mark(s.phase)
	s.setContext(contextFirst, 0)
	if s.hasEarlyOuts() {
		s.setContext(contextEarlyOut, 0)
	}
	s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrames))
	s.store(amd64.Mov, amd64.Wide, s.context(contextFrame), amd64.RAX)
	s.mark(s.again)
	s.burnUnchecked(1)
	s.jumpIf(amd64.Below, s.preempted)
	s.mark(s.resumed)
	s.dispatch = len(s.list)
	s.list = append(s.list, placeholder) // to the code of the phase
	s.loadLives()
}

// loadLives loads the mask of the lanes that there are.
func (s *selector) loadLives() {
	if s.hasDead() {
		for u := range s.sets {
			s.use(u)
			s.tableVector(s.lives, tableLives)
		}
	}
}

// clearWorkgroup makes workgroup memory zero that may be read before it is written.
func (s *selector) clearWorkgroup() {
	bytes := int64(s.p.ClearedBytes)
	if bytes == 0 {
		return
	}
	s.burn(bytes / 16)
	zero, at, end := s.freshVector(), s.freshGeneral(), s.freshGeneral()
	s.emit(amd64.VPXor, amd64.Wide, zero, zero, zero)
	s.load(amd64.Mov, amd64.Wide, at, s.context(contextWorkgroup))
	const chunk = 128
	if bytes >= chunk {
		i := amd64.Of(amd64.Lea, amd64.Wide, end, amd64.Mem)
		i.Address = amd64.At(at, int32(bytes)&^(chunk-1))
		s.append(&i)
		again := s.label()
		s.mark(again)
		for offset := int32(0); offset < chunk; offset += 32 {
			s.store(amd64.VMovUPS, amd64.Wide, amd64.At(at, offset), zero)
		}
		s.immediate(amd64.Add, amd64.Wide, chunk, at)
		s.emit(amd64.Cmp, amd64.Wide, at, end)
		s.jumpIf(amd64.Below, again)
	}
	for offset := int32(0); offset < int32(bytes%chunk); offset += 32 {
		s.store(amd64.VMovUPS, amd64.Wide, amd64.At(at, offset), zero)
	}
}

// leaveGroup emits the code after the blocks.
func (s *selector) leaveGroup() {
	count := blocks(s.p)
	s.mark(s.done)
	if len(s.barriers) > 0 {
		s.follow(lastPhase)
		if s.earlyOutToEnd {
			s.compareContext(contextEarlyOut, 0)
			s.jumpIf(amd64.NotEqual, s.ended)
		}
		s.mark(s.advance)
	}
	if count > int64(len(s.sets)) {
		s.load(amd64.Mov, amd64.Narrow, amd64.RAX, s.context(contextFirst))
		s.immediate(amd64.Add, amd64.Narrow, int64(len(s.sets))*lanes, amd64.RAX)
		s.store(amd64.Mov, amd64.Narrow, s.context(contextFirst), amd64.RAX)
		if len(s.barriers) > 0 {
			s.immediate(amd64.Add, amd64.Wide, 0, amd64.Mem)
			s.list[len(s.list)-1].Address = s.context(contextFrame)
		}
		s.compareWith(amd64.Narrow, amd64.RAX, count*lanes)
		s.jumpIf(amd64.NotEqual, s.again)
	}
	if len(s.barriers) > 0 {
		s.mark(s.ended)
		s.load(amd64.Mov, amd64.Narrow, amd64.RAX, s.context(contextFollows))
		s.store(amd64.Mov, amd64.Narrow, s.context(contextPhase), amd64.RAX)
		s.compareWith(amd64.Narrow, amd64.RAX, lastPhase)
		s.jumpIf(amd64.NotEqual, s.phase)
	}
	s.nextGroup()
	s.returns(s.stopped, statusStopped)
	s.returns(s.preempted, statusPreempted)
	if len(s.barriers) > 0 {
		s.returns(s.diverged, statusDiverged)
	}
}

// follow says which phase follows, which is the same for all blocks.
func (s *selector) follow(phase int64) {
	same := s.label()
	s.compareContext(contextFollows, phase)
	s.jumpIf(amd64.Equal, same)
	s.compareContext(contextFirst, 0)
	s.jumpIf(amd64.NotEqual, s.diverged)
	s.setContext(contextFollows, phase)
	s.mark(same)
}

func (s *selector) returns(label int, status int64) {
	s.mark(label)
	s.immediate(amd64.Mov, amd64.Narrow, status, amd64.RAX)
	s.emit(amd64.Ret, 0)
}

// nextGroup goes on to the next workgroup, x first.
func (s *selector) nextGroup() {
	end := s.label()
	s.immediate(amd64.Sub, amd64.Wide, 1, amd64.Mem)
	s.list[len(s.list)-1].Address = s.context(contextGroups)
	s.jumpIf(amd64.Equal, end)
	s.compareContext(contextStop, 0)
	s.jumpIf(amd64.NotEqual, s.stopped)
	for c := range int32(3) {
		s.load(amd64.Mov, amd64.Narrow, amd64.RAX, s.context(contextGroup+4*c))
		s.immediate(amd64.Add, amd64.Narrow, 1, amd64.RAX)
		s.store(amd64.Mov, amd64.Narrow, s.context(contextGroup+4*c), amd64.RAX)
		if c == 2 {
			break
		}
		s.load(amd64.Cmp, amd64.Narrow, amd64.RAX, s.context(contextGrid+4*c))
		s.jumpIf(amd64.NotEqual, s.workgroup)
		s.setContext(contextGroup+4*c, 0)
	}
	s.jump(s.workgroup)
	s.returns(end, statusDone)
}

// The columns of the table of invocations: their ids by dimension, and a mask of those that there
// are. Each has a word for each lane of all blocks.
const (
	tableID    = 0 // x, y, z
	tableLives = 3
	columns    = 4
)

func (s *selector) tableAddress(column int) amd64.Address {
	tables, first := s.freshGeneral(), s.freshGeneral()
	s.load(amd64.Mov, amd64.Wide, tables, s.context(contextTables))
	s.load(amd64.Mov, amd64.Narrow, first, s.context(contextFirst))
	return amd64.Indexed(tables, first, 4, 4*lanes*(int32(column)*int32(blocks(s.p))+int32(s.set)))
}

func (s *selector) tableVector(d amd64.Operand, column int) {
	s.load(amd64.VMovDQU, amd64.Wide, d, s.tableAddress(column))
}

// builtin emits a builtin value.
func (s *selector) builtin(i mir.Inst) {
	r := s.f.Result(i)
	x, component := lower.AuxBuiltin(s.f.Aux(i))
	v := s.value(r)
	if v.form == inGeneral {
		if more, ok := s.blockDelta(x, component); ok && s.set > 0 {
			i := amd64.Of(amd64.Lea, amd64.Narrow, v.general, amd64.Mem)
			i.Address = amd64.At(s.sets[0].values[s.f.Index(r)].general, int32(more))
			s.append(&i)
			return
		}
		s.builtinFirst(v.general, x, component)
		return
	}
	s.builtinLanes(v.vector[0], x, component)
}

// builtinFirst computes a builtin value of the first lane of a block.
func (s *selector) builtinFirst(d amd64.Operand, x ir.Builtin, component int) {
	w := s.p.Workgroup
	word := func(at int32) { s.load(amd64.Mov, amd64.Narrow, d, s.context(at+4*int32(component))) }
	switch x {
	case ir.WorkgroupID:
		word(contextGroup)
	case ir.NumWorkgroups:
		word(contextGrid)
	case ir.LaunchExtent:
		word(contextExtent)
	case ir.SubgroupSize:
		s.immediate(amd64.Mov, amd64.Narrow, subgroupSize, d)
	case ir.NumSubgroups:
		s.immediate(amd64.Mov, amd64.Narrow, int64(s.p.Invocations()+subgroupSize-1)/subgroupSize, d)
	case ir.LocalInvocationIndex:
		s.firstInvocation(d)
	case ir.SubgroupInvocationID:
		s.firstInvocation(d)
		s.immediate(amd64.And, amd64.Narrow, subgroupSize-1, d)
	case ir.SubgroupID:
		s.firstInvocation(d)
		s.immediate(amd64.Shr, amd64.Narrow, 5, d)
	case ir.LocalInvocationID:
		s.load(amd64.Mov, amd64.Narrow, d, s.tableAddress(tableID+component))
	case ir.GlobalInvocationID:
		s.load(amd64.Mov, amd64.Narrow, amd64.RAX, s.tableAddress(tableID+component))
		s.load(amd64.Mov, amd64.Narrow, d, s.context(contextGroup+4*int32(component)))
		if w[component] != 1 {
			product := s.freshGeneral()
			s.immediate(amd64.IMulImm, amd64.Narrow, int64(w[component]), product, d)
			s.emit(amd64.Mov, amd64.Narrow, d, product)
		}
		s.emit(amd64.Add, amd64.Narrow, d, amd64.RAX)
	case ir.WorkgroupIndex:
		s.load(amd64.Mov, amd64.Narrow, d, s.context(contextGroup+8))
		for c := int32(1); c >= 0; c-- {
			s.load(amd64.IMul, amd64.Narrow, d, s.context(contextGrid+4*c))
			s.load(amd64.Add, amd64.Narrow, d, s.context(contextGroup+4*c))
		}
	default:
		panic(refusal("the builtin value " + x.String()))
	}
}

// firstInvocation loads the index of the first invocation of the block of lanes.
func (s *selector) firstInvocation(d amd64.Operand) {
	s.load(amd64.Mov, amd64.Narrow, d, s.context(contextFirst))
	if s.set > 0 {
		s.immediate(amd64.Add, amd64.Narrow, int64(s.set)*lanes, d)
	}
}

// builtinLanes computes a builtin value of all lanes.
func (s *selector) builtinLanes(d amd64.Operand, x ir.Builtin, component int) {
	switch x {
	case ir.LocalInvocationID:
		s.tableVector(d, tableID+component)
	case ir.GlobalInvocationID:
		id := s.freshVector()
		s.tableVector(id, tableID+component)
		s.emit(amd64.VPAddD, amd64.Wide, d, id, s.groupOrigin(component))
	case ir.GlobalInvocationIndex: // x + width·(y + height·z)
		sum := amd64.Operand(0)
		for c := 2; c >= 0; c-- {
			id, global := s.freshVector(), s.freshVector()
			s.tableVector(id, tableID+c)
			s.emit(amd64.VPAddD, amd64.Wide, global, id, s.groupOrigin(c))
			if sum != 0 {
				scaled, next := s.freshVector(), s.freshVector()
				s.emit(amd64.VPMullD, amd64.Wide, scaled, sum, s.extentOf(c))
				s.emit(amd64.VPAddD, amd64.Wide, next, scaled, global)
				global = next
			}
			sum = global
		}
		s.emit(amd64.VMovUPS, amd64.Wide, d, sum)
	default:
		g := s.freshGeneral()
		s.builtinFirst(g, x, component)
		s.broadcast(d, g)
		if stride, ok := s.builtinStride(lower.BuiltinAux(x, component)); ok && stride != 0 {
			s.emit(amd64.VPAddD, amd64.Wide, d, d, s.growing(0, int64(stride)))
		}
	}
}

// groupOrigin returns a component of the first invocation of the workgroup, and extentOf of how
// many invocations there are, in all lanes.
func (s *selector) groupOrigin(c int) amd64.Operand { return s.scaledContext(contextGroup, c) }
func (s *selector) extentOf(c int) amd64.Operand    { return s.scaledContext(contextGrid, c) }

func (s *selector) scaledContext(at int32, c int) amd64.Operand {
	g, product, r := s.freshGeneral(), s.freshGeneral(), s.freshVector()
	s.load(amd64.Mov, amd64.Narrow, g, s.context(at+4*int32(c)))
	s.immediate(amd64.IMulImm, amd64.Narrow, int64(s.p.Workgroup[c]), product, g)
	s.broadcast(r, product)
	return r
}

// subgroupSize is how many invocations a subgroup has on all CPUs.
const subgroupSize = lower.SubgroupLanes
