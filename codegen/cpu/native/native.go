package native

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/spmd"
	"github.com/gpuc/gpuc/codegen/flat"
)

// Code is the machine code of a kernel for x86-64-v3. It is a function of one argument, the address of a context, that executes workgroups.
type Code struct {
	Program *spmd.Program
	Layout  Layout
	Text    []byte // with constants behind it; position independent, at a multiple of 32
	// Instructions is how many there are, List what they are; Spilled how many registers are kept in memory.
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

// Options are how to compile.
type Options struct {
	// Verify checks what became of registers; a mistake is a panic.
	Verify bool
}

// Compile makes machine code of a program. The error is a *Refused.
func Compile(p *spmd.Program, o Options) (code *Code, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			code, err = nil, &Refused{string(r)}
		default:
			panic(r)
		}
	}()
	s := &selector{p: p, f: p.F}
	return s.compile(&o)
}

func (s *selector) compile(o *Options) (*Code, error) {
	p, f := s.p, s.p.F
	if p.SubgroupSize != 0 && p.SubgroupSize != subgroupSize {
		panic(refusal("a size of subgroups other than 32"))
	}
	s.values = make([]value, f.Indices())
	s.definitions = make([]flat.Inst, f.Indices())
	s.reads = make([]int32, f.Indices())
	s.home = s.home[:0]
	var operands []flat.Operand
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for int(i) >= len(s.home) {
				s.home = append(s.home, -1)
			}
			s.home[i] = int32(n)
			for _, r := range f.Results(i) {
				s.definitions[f.Index(r)] = i
			}
			operands = f.AppendReads(operands[:0], i)
			for _, o := range operands {
				if !o.IsConst() {
					s.reads[f.Index(o)]++
				}
			}
		}
	}
	s.workgroup, s.phase, s.again, s.done, s.advance, s.stopped, s.diverged = s.label(), s.label(), s.label(), s.label(), s.label(), s.label(), s.label()
	s.flow.plan(s)
	s.strides()
	s.forms()
	s.looseness()
	s.demand()
	together := s.width()
	s.prepare(together)
	s.enterGroup(amd64.RDI)
	if s.flow.partial[0] {
		s.enter(0)
		s.startLanes()
	}
	for n, b := range f.Order {
		s.beginBlock(n)
		for i := f.First(b); i != 0; i = f.Next(i) {
			s.instruction(i)
		}
		s.endBlock(n)
	}
	s.source = 0
	s.mark(s.flow.labels[len(f.Order)])
	s.leaveGroup()

	var a allocator
	frame := s.cutAtBarriers(&a.liveness, int64(p.PrivateBytes)*lanes*int64(together))
	if len(s.barriers) == 0 {
		s.list[s.dispatch] = amd64.Of(amd64.Place, 0, amd64.Label(s.label()))
	}
	s.shorten()
	s.drop(&a.liveness)
	fixed := (contextBindings + bindingBytes*int32(len(p.Bindings)) + 31) &^ 31
	before := append([]amd64.Instruction(nil), s.list...)
	count := s.next
	for n := range s.list {
		s.list[n].Source = uint32(n + 1)
	}
	contextBytes := s.allocate(&a, fixed)
	if o.Verify {
		if err := checkAssignment(before, s.list, s.labs, fixed, contextBytes, count); err != nil {
			panic(fmt.Sprintf("native: %v", err))
		}
	}
	for n := range s.list {
		if x := s.list[n].Source; x != 0 {
			s.list[n].Source = before[x-1].Source
		}
	}
	var assembler amd64.Assembler
	text, err := assembler.Assemble(nil, s.list, &s.pool)
	if err != nil {
		return nil, err
	}
	code := &Code{Program: p, Layout: layoutOf(p), Text: text, pool: &s.pool,
		Instructions: len(s.list), Together: together, List: s.list, Spilled: int(contextBytes-fixed) / 32}
	l := &code.Layout
	l.ContextBytes, l.FrameBytes, l.Frames = int(contextBytes), int(frame), 1
	if len(s.barriers) > 0 {
		l.Frames = int(blocks(p)) / together
	}
	return code, nil
}
