// Package machine makes machine code of gfx942 from the machine level (package flat), without LLVM.
//
//	mir.Func ─► select ─► allocate ─► waits and pauses ─► encode ─► verify ─► code
//
//	machine.go     processors, what is compiled and what comes of it
//	select.go      values and instructions; memory.go, own.go: accesses, builtin values, waves; scalar.go: what lanes have in common
//	rows.go        the table of operations, in the language of template.go; divide.go: integer division
//	flow.go        blocks: which lanes execute when
//	allocate.go    registers
//	waits.go       what is waited for; hazards.go: what is kept apart
//	encode.go      bytes, by package isa
//	verify         what no emulator finds
//
// # Lanes
//
// A wave goes through the blocks in the order of the text. EXEC has the lanes that execute a block.
// At its end each lane has a block where it goes: lanes for the next block stay active, others are
// added to a mask of those that wait for theirs. Where a block begins, those that wait for it
// become active, too; a block that no lanes come to is skipped. At the last block of a loop, lanes
// for its header go back at once, as long as there are any.
//
// Why each lane executes what it would alone: a way between blocks leads forward in the order, or
// back to the header of a loop around, for the order is that of structured control. Lanes that wait
// for a block ahead get there, since execution passes all blocks in between; that a loop is gone
// through again on the way moves no lane that is not active, and adds to what waits only those that
// leave the loop, too. Lanes that wait for a header get there at the end of its loop, which is not
// left before. A mask is emptied before the first block that may add to it, ahead of all loops that
// the block is in and the one waited for is not, so what it has has come from this time around; the
// verifier checks that no lane is lost and none admitted twice.
//
// Barriers: all lanes of a workgroup come to one together, as WGSL demands (§15.2), with the same
// ways behind them. All lanes of a wave that will execute a block in one turn of its loops are
// active there at once: who goes there has come from a block before it in the order, and execution
// does not pass the block before all those have been executed. So they are active at the barrier
// together, and the wave comes to it as often as each of its lanes.
//
// Returns: lanes that return become inactive and wait for nothing. The wave ends at the end of the
// text; a loop that all have left is not gone back into.
//
// Functions that are called: there are none, all are put into their callers before; a kernel in
// which one is left is refused.
//
// What one lane reads in a vector register no other lane writes, since inactive lanes write
// nothing. Masks of comparisons are not so: they have zeros for inactive lanes. They live within a
// block; between blocks a bool is a word. Other scalar registers hold what all lanes have in
// common, in blocks that their definition dominates and within its loops.
package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/codegen/mir"
)

// processor is what differs between processors.
type processor struct {
	name    string
	family  isa.Family
	wave    uint32
	bus     int // scalar registers and literals that a vector instruction reads at most
	scalars int
	// of accesses that the device sees, and of atomics that give what was there
	coherent, returns isa.Modifiers
	counts            [counters]int32 // how far the counters count
	pauses            bool            // some instructions are to be kept apart
	// complete says that all that hardware asks for is inserted and verified: others are encoded by
	// tests only.
	complete bool
}

func (p *processor) maskWords() int { return int(p.wave / 32) }

var processors = []processor{
	{name: "gfx942", family: isa.GFX942, wave: 64, bus: 1, scalars: 100, coherent: isa.SC1, returns: isa.SC0, counts: [counters]int32{63, 15, most}, pauses: true, complete: true},
	{name: "gfx1100", family: isa.GFX1100, wave: 32, bus: 2, scalars: 104, coherent: isa.GLC, returns: isa.GLC, counts: [counters]int32{63, 63, 63}},
}

func processorOf(name string) *processor {
	for n := range processors {
		if processors[n].name == name {
			return &processors[n]
		}
	}
	return nil
}

// Has reports whether there is code for a processor. What is written for gfx1100 lacks the pauses
// behind transcendental instructions that it needs (LLVM, "fixVALUTransUseHazard"), and is not run
// by anything: only its encoding is tested.
func Has(name string) bool {
	p := processorOf(name)
	return p != nil && p.complete
}

// FamilyOf returns the family of a processor, or the first one.
func FamilyOf(name string) isa.Family {
	if p := processorOf(name); p != nil {
		return p.family
	}
	return 0
}

// Kernel is what the code of a kernel depends on besides its function.
type Kernel struct {
	Name      string
	Processor string
	Strict    bool // every device must round alike
	Verify    bool // the code is verified; a failure is a panic
	Workgroup [3]uint32
	// MostVectors is how many vector registers a lane may have, 0 for as many as there are.
	MostVectors int
	// Addresses and Lengths are, by binding, where the segment of arguments has them; Immediates
	// and Implicit where it has those.
	Addresses, Lengths   []int32
	Immediates, Implicit int32
	UserScalars          int // scalar registers in front of the workgroup's numbers
	// which components of the numbers of invocation and workgroup are read, a bit for each
	Identifiers, Groups uint8
}

// Result is the machine code of a kernel.
type Result struct {
	Code             []byte // with tables behind it
	Instructions     int    // bytes of instructions
	Vectors, Scalars int    // how many registers there are
	Spilled          int    // words that are kept in private memory
	Shared, Private  uint32 // bytes of a workgroup and of an invocation
	Checked          *verify.Code
}

// Compile makes machine code of a function. The error is a Refusal: what the function has and
// cannot be compiled yet.
func Compile(f *mir.Func, k *Kernel) (*Result, error) {
	var way way
	for {
		r, err := compile(f, k, way)
		switch {
		case err == Refusal(tooManyScalars) && !way.copied:
			way.copied = true
		case err == Refusal(tooFar) && way.reserved == 0:
			way.reserved = uint32(Traits.HighOffset) + 1
		default:
			return r, err
		}
	}
}

// way is how selection goes about a function, which depends on what came of it before.
type way struct {
	// what lanes have in common is in vector registers: there are not enough scalar ones
	copied bool
	// bytes of private memory in front of variables, for registers that are kept there
	reserved uint32
}

func compile(f *mir.Func, k *Kernel, way way) (result *Result, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			result, err = nil, Refusal(r)
		default:
			panic(r)
		}
	}()
	p := processorOf(k.Processor)
	if p == nil {
		unsupported("the processor " + k.Processor)
	}
	s := selector{f: f, k: k, forms: formsOf(k.Strict, p.family == isa.GFX1100), way: way}
	s.reset(p)
	s.run()
	result = new(Result)
	var a allocator
	for !s.allocate(&a, limits{k.vectors(), p.scalars}) {
		for _, r := range a.spilled {
			result.Spilled += int(s.registers[r].words)
		}
		s.spill(a.spilled)
	}
	s.assign(&a)
	s.insertWaits()
	result.Vectors, result.Scalars, result.Shared, result.Private = a.most[vectors], a.most[scalars], s.layout.shared, s.layout.private
	result.Code, result.Instructions, result.Checked = s.encode(s.layout.tables)
	result.Checked.VGPRs, result.Checked.SGPRs = result.Vectors, result.Scalars
	if k.Verify {
		if err := verify.Check(result.Checked); err != nil {
			panic(err)
		}
	}
	return result, nil
}

// A SIMD has so many vector registers for the lanes of all its waves, and a workgroup is spread
// over the SIMDs of a unit.
const (
	vectorsOfSIMD = 512
	simds         = 4
	vectorGranule = 8
)

// vectors is how many vector registers a lane can have so that a workgroup fits.
func (k *Kernel) vectors() int {
	const wave = 64
	waves := (k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2] + wave - 1) / wave
	if k.MostVectors > 0 {
		return k.MostVectors
	}
	return min(isa.VGPRs, vectorsOfSIMD/int((waves+simds-1)/simds)&^(vectorGranule-1))
}

// Refusal is why a kernel cannot be compiled: what it has.
type Refusal string

func (r Refusal) Error() string { return string(r) }
