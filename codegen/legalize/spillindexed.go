package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// SpillIndexed removes dynamic indices into array and matrix values, which
// machines have for memory only: a constant becomes a variable of the
// module that no one writes, another value a variable of the function. Vectors
// keep theirs. The index is clamped to the last element, as the op table has it.
var SpillIndexed = opt.Pass{
	Name:   "spillindexed",
	Doc:    "keep values that are indexed dynamically in variables",
	Needs:  ir.Structured,
	Gives:  ir.Spilled,
	Breaks: ir.Promoted | ir.NoPrivate,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			s := spiller{f: f, m: m}
			s.block(f.Entry)
			if s.changed {
				f.ApplyReplacements()
			}
		}
	},
}

type spiller struct {
	f       *ir.Func
	m       *ir.Module
	spilled []spilled
	changed bool
}

// spilled is a value that lies in memory already: constants for the module, and
// other values for the rest of the block that first indexed them.
type spilled struct{ value, address ir.Value }

func (s *spiller) block(b ir.Block) {
	f := s.f
	mark := len(s.spilled)
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o == op.Extract && s.indexed(i, 1):
			s.extract(i)
		case o == op.Insert && s.indexed(i, 2):
			s.insert(i)
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				s.block(ir.Block(inner))
			}
		}
		i = next
	}
	s.spilled = s.spilled[:mark]
}

// indexed reports whether the instruction's index is dynamic and its value no
// vector.
func (s *spiller) indexed(i ir.Inst, index int) bool {
	return !s.f.Arg(i, index).IsConst() && !s.m.IsVector(s.f.TypeOf(s.f.Arg(i, 0)))
}

func (s *spiller) builder(i ir.Inst) *ir.Builder {
	b := ir.NewBuilder(s.f)
	b.SetBefore(i)
	b.Span = s.f.SpanOf(i)
	return b
}

// address returns a pointer to a part of a value in memory.
func (s *spiller) address(b *ir.Builder, base, index ir.Value) ir.Value {
	n, _ := s.m.Count(s.m.Element(s.f.TypeOf(base)))
	if n == 1 {
		return accessWithin(b, base, s.m.ConstU32(0))
	}
	switch s.m.ScalarOf(s.f.TypeOf(index)) {
	case scalar.I32:
		index = b.Convert(scalar.U32, index)
	case scalar.I64:
		index = b.Convert(scalar.U64, index)
	}
	return accessWithin(b, base, b.Op(op.Min, index, s.m.ConstInt(s.f.TypeOf(index), int64(n)-1)))
}

func (s *spiller) extract(i ir.Inst) {
	f := s.f
	b := s.builder(i)
	base := s.place(b, f.Resolve(f.Arg(i, 0)))
	f.Replace(f.Result(i), b.Load(s.address(b, base, f.Resolve(f.Arg(i, 1)))))
	f.Remove(i)
	s.changed = true
}

func (s *spiller) insert(i ir.Inst) {
	f := s.f
	b := s.builder(i)
	base := b.Var(f.Type(i), "spilled")
	b.Store(base, f.Resolve(f.Arg(i, 0)))
	b.Store(s.address(b, base, f.Resolve(f.Arg(i, 2))), f.Resolve(f.Arg(i, 1)))
	f.Replace(f.Result(i), b.Load(base))
	f.Remove(i)
	s.changed = true
}

// place returns the address of a value in memory.
func (s *spiller) place(b *ir.Builder, v ir.Value) ir.Value {
	for _, p := range s.spilled {
		if p.value == v {
			return p.address
		}
	}
	t := s.f.TypeOf(v)
	if v.IsConst() {
		for n := range s.m.Globals {
			if g := &s.m.Globals[n]; g.Init == v && s.m.SpaceOf(g.Type) == ir.Constant {
				return ir.GlobalValue(n)
			}
		}
		return s.m.AddGlobal(ir.Global{Name: "table", Type: s.m.PointerTo(ir.Constant, t, ir.Read), Init: v})
	}
	base := b.Var(t, "spilled")
	b.Store(base, v)
	s.spilled = append(s.spilled, spilled{v, base})
	return base
}
