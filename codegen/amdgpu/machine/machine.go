// Package machine is TODO.
package machine

import (
	"os"
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/codegen/flat"
)

// processor is what differs between processors.
type processor struct {
	name              string
	wave              uint32
	bus               int // scalar registers and literals that a vector instruction reads at most
	userScalars       int
	family            isa.Family
	coherent, returns isa.Modifiers
	counts            [counters]int32 // how far the counters count
	pauses            bool            // some instructions are to be kept apart
	scalars           int
}

func (p *processor) maskWords() int { return int(p.wave / 32) }

var processors = []processor{
	{name: "gfx942", wave: 64, bus: 1, userScalars: 2, scalars: 100, family: isa.GFX942, coherent: isa.SC1, returns: isa.SC0, counts: [counters]int32{63, 15, most}, pauses: true},
	{name: "gfx1100", wave: 32, bus: 2, userScalars: 15, scalars: 104, family: isa.GFX1100, coherent: isa.GLC, returns: isa.GLC, counts: [counters]int32{63, 63, 63}},
}

// Kernel is what the code of a kernel depends on besides its function.
type Kernel struct {
	Name      string
	Processor string
	Strict    bool // every device must round alike
	Workgroup [3]uint32
	// Addresses and Lengths are, by binding, where the segment of arguments has them; Immediates and Implicit where it has those.
	Addresses, Lengths   []int32
	Immediates, Implicit int32
	ArgumentBytes        uint32
	Identifiers, Groups  uint8 // which components of the numbers of invocation and workgroup are read, a bit for each
}

func (k *Kernel) userScalars(p *processor) int { return p.userScalars }

// Result is the machine code of a kernel.
type Result struct {
	Code             []byte
	Checked          *verify.Code
	Instructions     int // bytes of them, before tables
	Vectors, Scalars int
	Shared, Private  uint32
}

// vectors is how many vector registers a lane can have so that a workgroup fits: a SIMD has 512, for a quarter of its waves.
func (k *Kernel) vectors() int {
	waves := (k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2] + 63) / 64
	return min(256, 512/int((waves+3)/4)&^7)
}

// Compile makes machine code of a function.
func Compile(f *flat.Func, k *Kernel) (result *Result, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = Refusal(r)
		default:
			panic(r)
		}
	}()
	s := selector{f: f, k: k}
	for n := range processors {
		if processors[n].name == k.Processor {
			s.reset(&processors[n])
		}
	}
	if s.target == nil {
		unsupported("the processor " + k.Processor)
	}
	if s.forms = plainForms(); k.Strict {
		s.forms = strictForms()
	}
	s.run()
	var a allocator
	for !s.allocate(&a, limits{s.k.vectors(), s.target.scalars}) {
		s.spill(a.spilled)
	}
	s.assign(&a)
	s.insertWaits()
	result = &Result{Vectors: a.most[vectors], Scalars: a.most[scalars], Shared: s.layout.shared, Private: s.layout.private}
	result.Code, result.Instructions, result.Checked = s.encode(s.layout.tables)
	result.Checked.VGPRs, result.Checked.SGPRs = result.Vectors, result.Scalars
	if err := verify.Check(result.Checked); err != nil {
		if os.Getenv("SHOWCODE") != "" {
			println(f.Text())
			for n := range s.list {
				if s.list[n].op == labelMark {
					println(s.instructionText(&s.list[n]))
				} else {
					println("   ", s.instructionText(&s.list[n]), s.list[n].role)
				}
			}
		}
		panic(err)
	}
	return result, nil
}

// Refusal is why a kernel cannot be compiled.
type Refusal string

func (r Refusal) Error() string { return string(r) }
