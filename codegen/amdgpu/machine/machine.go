// Package machine compiles the machine level (package mir) to machine code of gfx942, without LLVM.
//
//	mir.Func ─► select ─► allocate ─► waits, hazards ─► encode ─► verify ─► code
//
//	machine.go     processors, Compile
//	select.go      instruction selection
//	memory.go      accesses to memory
//	builtin.go     builtin values and wave operations
//	matrix.go      matrix products, and their wait states
//	scalar.go      uniform values
//	rows.go        the table of operations, in the language of template.go
//	divide.go      integer division
//	flow.go        control flow by masks of active lanes
//	allocate.go    register allocation
//	waits.go       s_waitcnt insertion; hazards.go: wait states
//	encode.go      encoding, by package isa
//	verify         checks what no emulator finds
//
// # Control flow
//
// A wave executes the blocks in their order; the mask EXEC has the lanes that are active. At the
// end of a block each lane has a target block. Lanes for the next block stay active. Lanes for
// another block are parked: added to that block's mask of waiting lanes. A block begins by resuming
// the lanes that wait for it, and is skipped if no lane is active then. At the last block of a
// loop, lanes for the header go back at once, as long as there are any.
//
// Why each lane executes the same blocks as it would alone:
//
//   - An edge leads forward in the order, or back to the header of an enclosing loop, since the
//     order is that of structured control flow.
//   - Lanes that wait for a later block reach it, since execution passes all blocks in between. If
//     a loop is repeated meanwhile, that moves no inactive lane, and parks only lanes that leave
//     the loop, too.
//   - Lanes that wait for a header reach it at the end of its loop, which is not left before.
//   - A mask is cleared before the first block that can park lanes in it, outside of all loops that
//     contain that block and not the target. So its lanes come from the current iteration. The
//     verifier checks that no lane is lost and none is resumed twice.
//
// Barriers: WGSL (§15.2) demands that all invocations of a workgroup reach a barrier with the same
// control flow before it. All lanes of a wave that execute a block in one iteration of its loops
// are active there at once. The reason is that each lane comes from an earlier block, and the block
// is not executed before all of those were. So they reach the barrier together, and the wave
// reaches it as often as each of its lanes does.
//
// Returns: lanes that return become inactive and wait for no block. The wave ends at the end of the
// code. A loop that all lanes have left is not repeated.
//
// Calls: there are none. All functions are inlined before; a kernel with a call left is refused.
//
// # Registers
//
// Inactive lanes write nothing, so a lane's values in vector registers are its own. Comparisons are
// different: they write zeros for inactive lanes. So a mask lives within a block, and between
// blocks a bool is a word. Other scalar registers hold uniform values, in the blocks that their
// definition dominates and within its loops.
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
	bus     int // maximum of scalar registers and literals that a vector instruction reads
	scalars int
	// of accesses that the whole device sees, and of atomics that return the old value
	coherent, returns isa.Modifiers
	counts            [counters]int32 // maximum of each counter
	hazards           bool            // wait states are inserted
	// complete says that all that the hardware needs is inserted and verified. Code for other
	// processors is encoded by tests only.
	complete bool
}

func (p *processor) maskWords() int { return int(p.wave / 32) }

var processors = []processor{
	{name: "gfx942", family: isa.GFX942, wave: 64, bus: 1, scalars: 100, coherent: isa.SC1, returns: isa.SC0, counts: [counters]int32{63, 15, maxCount}, hazards: true, complete: true},
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

// Has reports whether code for a processor can be used. Code for gfx1100 lacks the wait states
// after transcendental instructions that it needs (LLVM, "fixVALUTransUseHazard"), and nothing runs
// it: only its encoding is tested.
func Has(name string) bool {
	p := processorOf(name)
	return p != nil && p.complete
}

// FamilyOf returns the family of a processor, or the first one if the name is unknown.
func FamilyOf(name string) isa.Family {
	if p := processorOf(name); p != nil {
		return p.family
	}
	return 0
}

// Kernel describes a kernel to Compile: all that its code depends on besides its function.
type Kernel struct {
	Name      string
	Processor string
	Strict    bool // every device must round alike
	Verify    bool // the code is verified; a failure is a panic
	Workgroup [3]uint32
	// MaxVectors is the maximum of vector registers of a lane, or 0 for as many as there are.
	MaxVectors int
	// Offsets in the kernarg segment in bytes: of addresses and lengths by binding, of the
	// immediates and of the implicit arguments.
	Addresses, Lengths   []int32
	Immediates, Implicit int32
	UserScalars          int // user SGPRs, which precede those of the workgroup ID
	// The components of local_invocation_id and workgroup_id that are read, a bit for each.
	Identifiers, Groups uint8
}

// Result is the machine code of a kernel.
type Result struct {
	Code             []byte // instructions, then tables of constants
	Instructions     int    // bytes of instructions
	Vectors, Scalars int    // registers in use
	Spilled          int    // words that were spilled to private memory
	Shared, Private  uint32 // bytes of a workgroup and of an invocation
	Checked          *verify.Code
}

// Compile compiles a function to machine code. The error is a Refusal: what the function has that
// cannot be compiled yet.
func Compile(f *mir.Func, k *Kernel) (*Result, error) {
	var again retry
	for {
		r, err := compile(f, k, again)
		switch {
		case err == Refusal(tooManyScalars) && !again.vectorUniforms:
			again.vectorUniforms = true
		case err == Refusal(tooFar) && again.reservedPrivate == 0:
			again.reservedPrivate = uint32(Traits.HighOffset) + 1
		default:
			return r, err
		}
	}
}

// retry is what selection does differently after allocation has failed.
type retry struct {
	// uniform values are in vector registers: there are not enough scalar registers
	vectorUniforms bool
	// bytes of private memory in front of the variables, for spilled registers
	reservedPrivate uint32
}

func compile(f *mir.Func, k *Kernel, again retry) (result *Result, err error) {
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
	s := selector{f: f, k: k, forms: formsOf(k.Strict, p.family == isa.GFX1100), retry: again}
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
	result.Vectors, result.Scalars, result.Shared, result.Private = a.used[vectors], a.used[scalars], s.layout.shared, s.layout.private
	result.Code, result.Instructions, result.Checked = s.encode(s.layout.tables)
	result.Checked.VGPRs, result.Checked.SGPRs = result.Vectors, result.Scalars
	if k.Verify {
		if err := verify.Check(result.Checked); err != nil {
			panic(err)
		}
	}
	return result, nil
}

// vectorsOfSIMD is the number of vector registers of a SIMD, for each lane of all its waves. A
// workgroup is spread over the SIMDs of a compute unit. Registers are allocated in granules.
const (
	vectorsOfSIMD = 512
	simds         = 4
	vectorGranule = 8
)

// vectors returns how many vector registers a lane can have so that a workgroup fits.
func (k *Kernel) vectors() int {
	const wave = 64
	waves := (k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2] + wave - 1) / wave
	if k.MaxVectors > 0 {
		return k.MaxVectors
	}
	return min(isa.VGPRs, vectorsOfSIMD/int((waves+simds-1)/simds)&^(vectorGranule-1))
}

// Refusal is why a kernel cannot be compiled: what it has that is not supported.
type Refusal string

// Error returns the reason.
func (r Refusal) Error() string { return string(r) }
