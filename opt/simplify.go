package opt

//go:generate go run ./internal/rulegen/run

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Simplify replaces instructions by simpler ones with the same value. Three things work together:
// constant folding (ir.Module.Fold), the rules of simplify.rules (peephole.go), and
// what is not a rule on values: composites (simplify_composite.go) and control
// (simplify_control.go).
//
// One walk in execution order suffices for most: operands are simplified before
// what uses them. What the walk leaves unused is dce's to remove.
var Simplify = Pass{
	Name: "simplify",
	Doc:  "fold constants, apply peepholes, and remove redundant control flow",
	// the call that a variable's address is passed to may go
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[simplifier](c, "simplify")
		s.c = c
		s.redundant = Scratch[redundancy](c, "redundant")
		for _, f := range m.Funcs {
			s.run(f)
		}
	},
}

type simplifier struct {
	c         *Context
	f         *ir.Func
	redundant *redundancy
	changed   bool
	// exits and continues count, by control instruction, the terminators that
	// name it.
	exits, continues []uint32
	parts            []ir.Value
	inst             ir.Inst // that a rule rewrites
	// fresh says that rules leave instructions as they are, for ranges to stay true of them, and
	// make new ones. ranges are those of the function as it was, if they are analysed.
	fresh, analysed bool
	ranges          *analysis.Ranges
	// fired, in tests, is told the name of each rule that applies.
	fired func(rule string)
}

// maxRewrites bounds how often one instruction is rewritten in a row. Rules make
// things simpler, so that none is expected to come near.
const maxRewrites = 16

func (s *simplifier) run(f *ir.Func) {
	s.f = f
	s.changed = false
	s.exits = ir.Zeroed(s.exits, f.InstCount())
	s.continues = ir.Zeroed(s.continues, f.InstCount())
	s.builtins()
	s.block(f.Entry)
	if s.redundant.run(f) || s.changed {
		f.ApplyReplacements()
	}
}

// builtins makes the index of the only invocation of a workgroup 0, and the size of subgroups a
// constant if the kernel or the target sets it.
func (s *simplifier) builtins() {
	f := s.f
	if !f.Kernel {
		return
	}
	m := f.Module
	one := m.ConstU32(1)
	for n, p := range f.Params(f.Entry) {
		value := ir.NoValue
		switch f.Builtins[n] {
		case ir.LocalInvocationIndex:
			if f.Workgroup == [3]ir.Value{one, one, one} {
				value = m.ConstU32(0)
			}
		case ir.SubgroupSize:
			value = s.subgroupSize()
		case ir.NumSubgroups:
			value = s.subgroups()
		}
		if value != ir.NoValue && f.Resolve(p) == p {
			f.Replace(p, value)
			s.changed = true
		}
	}
}

// subgroups returns how many subgroups the kernel's workgroups have, or NoValue if that is not
// known.
func (s *simplifier) subgroups() ir.Value {
	m := s.f.Module
	size, known := m.ConstUint(s.subgroupSize())
	if !known {
		return ir.NoValue
	}
	count := uint64(1)
	for _, w := range s.f.Workgroup {
		extent, known := m.ConstUint(w)
		if !known {
			return ir.NoValue
		}
		count *= extent
	}
	return m.ConstU32(uint32((count + size - 1) / size))
}

// subgroupSize returns the size of the kernel's subgroups, or NoValue if it is not known.
func (s *simplifier) subgroupSize() ir.Value {
	m, size := s.f.Module, uint64(s.c.Subgroup)
	if own := s.f.SubgroupSize; own != ir.NoValue {
		size, _ = m.ConstUint(own) // 0 for an override
	}
	if size == 0 {
		return ir.NoValue
	}
	return m.ConstU32(uint32(size))
}

// block simplifies the instructions of a block and of those nested in it.
func (s *simplifier) block(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; {
		// what is inserted before i is simple; what follows may be cut off
		args := f.Args(i)
		for n, a := range args {
			args[n] = f.Resolve(a)
		}
		switch o := f.Op(i); {
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				s.block(ir.Block(inner))
			}
			i = s.control(i)
			continue
		case o == op.Exit:
			s.exits[f.Target(i)]++
		case o == op.Continue:
			s.continues[f.Target(i)]++
		case o == op.Next:
			params, condition, _ := f.NextArgs(i)
			switch {
			case condition == f.Module.ConstBool(false):
				f.SetArgs(i, params...)
			case condition != 0:
				s.exits[f.Target(i)]++
			}
		case o.Is(op.Terminator):
		default:
			next := f.Next(i)
			s.instruction(i)
			i = next
			continue
		}
		i = f.Next(i)
	}
}

// instruction simplifies until nothing applies.
func (s *simplifier) instruction(i ir.Inst) {
	for range maxRewrites {
		if !s.step(i) {
			return
		}
		s.changed = true
		if s.f.Op(i) == op.Invalid {
			return
		}
	}
}

// step changes an instruction once, or reports that it cannot.
func (s *simplifier) step(i ir.Inst) bool {
	f := s.f
	o := f.Op(i)
	if !o.Pure() {
		return o == op.Load && s.constantLoad(i)
	}
	args := f.Args(i)
	if v, ok := f.Module.Fold(o, f.Type(i), f.Aux(i), args); ok {
		return s.replace(i, v)
	}
	if o.Info().Commutative && args[0].IsConst() && !args[1].IsConst() {
		args[0], args[1] = args[1], args[0]
	}
	if s.rules(i, peepholes[o], args) {
		return true
	}
	if composite := composites[o]; composite != nil {
		return composite(s, i)
	}
	return false
}

// replace makes v mean an instruction's result and removes the instruction.
// A value of another type is no replacement.
func (s *simplifier) replace(i ir.Inst, v ir.Value) bool {
	f := s.f
	if v == 0 || f.TypeOf(v) != f.Type(i) {
		return false
	}
	if s.fresh {
		f.SetName(v, f.ValueName(f.Result(i)))
	}
	f.Replace(f.Result(i), v)
	f.Remove(i)
	return true
}

// rewrite turns an instruction into another operation with a result of the same
// type. An operand of 0 is a constant that could not be computed.
func (s *simplifier) rewrite(i ir.Inst, o op.Op, args ...ir.Value) bool {
	for _, a := range args {
		if a == 0 {
			return false
		}
	}
	f := s.f
	f.SetOp(i, o)
	f.SetAux(i, 0)
	f.SetArgs(i, args...)
	return true
}
