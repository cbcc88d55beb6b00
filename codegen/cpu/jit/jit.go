// Package jit compiles kernels on the machine level (package mir) to machine code for x86-64-v3 and
// AArch64, and launches it. It vectorizes whole functions: eight invocations, a block of lanes, are
// executed at once, each in a lane of vectors of 256 bits. No other compiler or library is needed.
//
//	lower.Program ─► Compile: plan ─► select ─► cut at barriers ─► allocate ─► assemble
//	              ─► Code ─► Load, Run
//
//	flow.go          which blocks parts of the lanes execute, and where lanes wait
//	maskliveness.go  for how long masks of waiting lanes live; control.go emits all that
//	lanes.go         scalar and vector forms of values; nan.go: canonical NaNs
//	unrolljam.go     several blocks of lanes at once; lanedelta.go: differences of their words
//	inplace.go       sums of loops, which stay in their registers
//	select.go        instructions, which emit.go appends; convert.go: those between widths
//	quotient.go      divisions by constants
//	rows.go          templates of instructions, rows_scalar.go, in the language of template.go
//	refused.go       the operations that have none; callout.go: those that Go executes
//	address.go       addresses, which lower/address.go decomposes
//	versions.go      blocks for the usual case, and for others
//	memory.go        loads; stores.go; strided.go, scatter.go, fullmask.go; atomics.go
//	interleave.go    vectors of words; deinterleave.go
//	subgroup.go      operations of subgroups
//	group.go         loops over workgroups, phases and blocks
//	hoist.go         what a workgroup computes once
//	uniformskip.go   branches that no lane takes; earlyout.go: the rest of a phase
//	allcontinue.go   branches of loops that all lanes take
//	fuel.go          bounds how much a call executes; preempt.go: preemption in loops
//	barriers.go      values that are live at barriers; reload.go: where they are loaded
//	peephole.go      jump threading, dead code
//	liveness.go      register allocation: allocate.go, secondchance.go; verify.go checks it
//	machine.go       what depends on the processor
//	launch.go        contexts, workers, calls
//
// # Lanes
//
// A basic block is executed for the lanes that reach it. As long as lanes have not diverged, the
// only mask is that of a workgroup's last lanes. Where they diverge at the end of a block,
// execution goes through the blocks in the order of the text, up to the one where they reconverge
// (the immediate post-dominator). Lanes for the next block stay active; others are added to the
// mask of those that wait for theirs. Where a block begins, the lanes that wait for it become
// active. A block that no lanes reach is skipped. The last block of a loop returns to the header as
// long as lanes wait there. This is the scheme of codegen/amdgpu/machine, whose package comment has
// the proof.
//
// Instructions write all lanes, active or not. A register that waiting lanes still need is written
// under a mask: parameters of blocks, and what a loop computes that lanes have left (flow.kept).
// Other registers are never read in inactive lanes. So live ranges follow the paths of execution
// (liveness.go).
//
// Uniform values, and words that grow by a constant from lane to lane, are computed for the first
// lane in general registers (scalarization). Consecutive addresses follow from these without
// comparisons: one load or store for all lanes. An index that is the minimum of such a word and a
// bound, as robust accesses have it, is compared once for all lanes. So is one that only seems to
// grow (lower/strides.go): after clamps and remainders, which change it for few lanes.
//
// # Safety
//
// Nothing is loaded or stored for an inactive lane, except in private memory. Accesses are where
// the program says. The legalisers have made them stay within their buffers; with bounds off, the
// caller answers for that. Buffers of a launch are as large as the code relies on (Kernel.Takes).
// Code is preempted when its fuel is used up, and resumed at the same instruction. So the garbage
// collector, and those who would end a launch, wait for a fraction of a millisecond. If blocks of a
// workgroup reach different barriers, as a race can make them, the launch fails.
package jit

import (
	"bytes"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Code is the machine code of a kernel. It is a function of one argument, the address of a context,
// that executes workgroups.
type Code struct {
	Program *lower.Program
	Layout  Layout
	Text    []byte // with constants after it; position independent, at a multiple of 32
	// Instructions is how many there are, and List what they are, if Options.List is set; Spilled
	// is how many registers are kept in memory.
	Instructions, Spilled int
	Together              int // how many blocks of lanes are executed together
	List                  []amd64.Instruction
	pool                  *amd64.Pool
}

// Refused is the error for what cannot be compiled, and says why.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

// refusal is the panic that becomes one.
type refusal string

// Options say how to compile.
type Options struct {
	// Verify checks what became of registers; a mistake is a panic.
	Verify bool
	// List keeps the instructions, with the number of the machine level's instruction in Source.
	List bool
	// Machine is the processor that the code is for.
	Machine Machine
}

// selectors are the working memory of compilations that have ended.
var selectors = sync.Pool{New: func() any { return new(selector) }}

// Compile makes machine code of a program. The error is a *Refused.
func Compile(p *lower.Program, o Options) (code *Code, err error) {
	s := selectors.Get().(*selector)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			code, err = nil, &Refused{string(r)}
		default:
			panic(r)
		}
		if !o.List { // else the code has the list
			s.p, s.f = nil, nil
			selectors.Put(s)
		}
	}()
	s.begin(p)
	s.machine = o.Machine
	return s.compile(&o)
}

// begin prepares for a program: memory is kept, and nothing else.
func (s *selector) begin(p *lower.Program) {
	f := p.F
	s.p, s.f = p, f
	s.list, s.banks, s.labs = s.list[:0], s.banks[:0], 0
	s.pool.Reset()
	s.plan.values = ir.Zeroed(s.plan.values, f.Indices())
	s.sums = ir.Zeroed(s.sums, f.Indices())
	s.values, s.reads = s.plan.values, ir.Zeroed(s.reads, f.Indices())
	s.home, s.sets, s.barriers, s.preemptions = s.home[:0], s.sets[:0], s.barriers[:0], s.preemptions[:0]
	s.calls, s.requestColumns = nil, 0
	s.block, s.set, s.epoch, s.dispatch, s.source = 0, 0, 0, 0, 0
	s.exec, s.lives, s.canonicalized, s.fullMask, s.crowded, s.inUsual, s.inUnusual = 0, 0, nil, false, 0, false, false
	s.loaded, s.nextLoaded, s.straight, s.ahead = [len(s.loaded)]loaded{}, 0, 0, 0
	s.count()
	s.resolutions, s.parts, s.partsTerms = s.resolutions[:0], s.parts[:0], s.partsTerms[:0]
	s.resolved = ir.Zeroed(s.resolved, len(s.home))
}

// count finds out which blocks instructions are in, and how often registers are read.
func (s *selector) count() {
	f := s.f
	s.synchronizes = ir.Zeroed(s.synchronizes, len(f.Order))
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == mir.Op(op.ControlBarrier) {
				s.synchronizes[n] = true
			}
			for int(i) >= len(s.home) {
				s.home = append(s.home, -1)
			}
			s.home[i] = int32(n)
			s.operands = f.AppendReads(s.operands[:0], i)
			for _, o := range s.operands {
				if !o.IsConst() {
					s.reads[f.Index(o)]++
				}
			}
		}
	}
}

func (s *selector) compile(o *Options) (*Code, error) {
	p, f := s.p, s.p.F
	if p.SubgroupSize != 0 && p.SubgroupSize != subgroupSize {
		panic(refusal("a size of subgroups other than 32"))
	}
	s.workgroup, s.phase, s.again, s.done, s.advance, s.ended, s.stopped, s.diverged, s.preempted, s.resumed, s.begins = s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label()
	s.flow.plan(s)
	s.strides()
	s.forms()
	s.findNonCanonical()
	s.findSkips()
	s.findContinuations()
	s.demand()
	together := s.width()
	s.prepare(together)
	s.findDeltas()
	s.planEarlyOuts()
	s.findHoisted()
	s.enterGroup(amd64.RDI)
	if s.flow.partial[0] {
		s.enter(0)
		s.startLanes()
	}
	for n := range f.Order {
		s.beginBlock(n)
		s.body(n)
		s.endBlock(n)
	}
	s.source = 0
	s.mark(s.flow.labels[len(f.Order)])
	s.leaveGroup()

	a := &s.allocator
	frame := int64(p.PrivateBytes) * lanes * int64(together)
	if len(s.barriers) == 0 {
		s.list[s.dispatch] = amd64.Of(amd64.Mark, 0, amd64.Label(s.label()))
		s.threadJumps(nil)
		s.eliminateDeadCode(a, false)
	} else {
		s.eliminateDeadCode(a, true) // so that nothing is kept at barriers for what nobody reads
		frame = s.cutAtBarriers(&a.liveness, frame)
		s.threadJumps(&a.liveness)
		a.analyseAgain(s.list, s.banks, s.labs)
	}
	fixed := int32(requestAt(len(p.Bindings), together, s.requestColumns, 0))
	var contextBytes int32
	if o.Verify {
		contextBytes = s.verified(fixed)
	} else {
		contextBytes = s.allocate(a, fixed)
	}
	registers := int(contextBytes-fixed) / 32
	contextBytes = s.emitPreemption(contextBytes)
	text, instructions, err := s.machine.row().assemble(s, s.text[:0])
	s.text = text
	if err != nil {
		return nil, err
	}
	code := &Code{Program: p, Layout: layoutOf(p), Text: bytes.Clone(s.text), Instructions: instructions, Together: together, Spilled: registers}
	if o.List {
		code.List, code.pool = s.list, &s.pool
	}
	l := &code.Layout
	l.ContextBytes, l.FrameBytes, l.Frames = int(contextBytes), int(frame), 1
	l.Together, l.Calls = together, s.calls
	if len(s.barriers) > 0 {
		l.Frames = int(blocks(p)) / together
	}
	return code, nil
}
