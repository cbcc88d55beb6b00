package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// VarForDynamicIndex spills array and matrix values that are indexed dynamically to variables
// (Tint: VarForDynamicIndex). Machines have dynamic indices for memory only:
//
//	%x = extract %v, %i  ─►  store %spilled, %v; %x = load (access %spilled, min(%i, last))
//
// A constant becomes a read-only variable of the module, another value a variable of the function.
// Vectors keep their indices. The index is clamped to the last element, as the op table defines.
// Only an index into a table that is proved to be in range is not clamped: with unclamped indices
// of private arrays, assemblers can need almost twice the registers. A value that is indexed in a
// loop and defined before it is stored before the loop.
var VarForDynamicIndex = opt.Pass{
	Name:   "var-for-dynamic-index",
	Doc:    "keep values that are indexed dynamically in variables",
	Needs:  ir.Structured,
	Gives:  ir.Spilled,
	Breaks: ir.Promoted | ir.NoPrivate,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if !f.Had(&indexing) {
				continue
			}
			s := spiller{c: c, f: f, m: m}
			s.run()
			if s.spilled != nil {
				f.ApplyReplacements()
			}
		}
	},
}

var indexing = op.SetOf(op.Extract, op.Insert)

type spiller struct {
	c *opt.Context
	f *ir.Func
	m *ir.Module
	// of the original function, if it indexes constants, which become tables
	ranges  *analysis.Ranges
	spilled []spilled // by local value, or nil if there is none
}

// spilled is the address of a value that lies in memory already: in a block, from the store on, and
// in the blocks inside.
type spilled struct {
	address ir.Value
	block   ir.Block
}

func (s *spiller) run() {
	f := s.f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch o := f.Op(i); {
		case o == op.Extract && s.indexed(i, 1):
			s.extract(i)
		case o == op.Insert && s.indexed(i, 2):
			s.insert(i)
		}
		i = next
	}
}

// indexed reports whether the instruction's index is dynamic and its value is not a vector.
func (s *spiller) indexed(i ir.Inst, index int) bool {
	return !s.f.Arg(i, index).IsConst() && !s.m.IsVector(s.f.TypeOf(s.f.Arg(i, 0)))
}

func (s *spiller) builder(i ir.Inst) *ir.Builder {
	b := ir.NewBuilder(s.f)
	b.At(i)
	return b
}

// address returns a pointer to the element of a spilled value that an instruction indexes.
func (s *spiller) address(b *ir.Builder, i ir.Inst, base, index ir.Value) ir.Value {
	n, _ := s.m.Count(s.m.Element(s.f.TypeOf(base)))
	if n == 1 {
		return b.AccessWithin(base, s.m.ConstU32(0))
	}
	switch s.m.ScalarOf(s.f.TypeOf(index)) {
	case scalar.I32:
		index = b.Convert(scalar.U32, index)
	case scalar.I64:
		index = b.Convert(scalar.U64, index)
	}
	if !base.IsGlobal() || !s.ranges.Proves(i, 0) {
		index = b.Op(op.Min, index, s.m.ConstInt(s.f.TypeOf(index), int64(n)-1))
	}
	return b.AccessWithin(base, index)
}

func (s *spiller) extract(i ir.Inst) {
	f := s.f
	s.begin()
	base := s.spill(i, f.Resolve(f.Arg(i, 0)))
	b := s.builder(i)
	f.Replace(f.Result(i), b.Load(s.address(b, i, base, f.Resolve(f.Arg(i, 1)))))
	f.Remove(i)
}

// begin allocates spilled, and analyses the ranges if needed.
func (s *spiller) begin() {
	if s.spilled == nil {
		s.spilled = make([]spilled, s.f.ValueCount())
		if s.indexesConstants() {
			s.ranges = opt.Scratch[analysis.Ranges](s.c, "ranges")
			s.ranges.Analyse(s.f)
		}
	}
}

// indexesConstants reports whether there is an instruction that indexes a constant.
func (s *spiller) indexesConstants() bool {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Extract && f.Arg(i, 0).IsConst() && s.indexed(i, 1) {
			return true
		}
	}
	return false
}

func (s *spiller) insert(i ir.Inst) {
	f := s.f
	s.begin()
	b := s.builder(i)
	base := b.Var(f.Type(i), "spilled")
	b.Store(base, f.Resolve(f.Arg(i, 0)))
	b.Store(s.address(b, i, base, f.Resolve(f.Arg(i, 2))), f.Resolve(f.Arg(i, 1)))
	f.Replace(f.Result(i), b.Load(base))
	f.Remove(i)
}

// spill returns the address of v in memory, for an instruction that indexes it.
func (s *spiller) spill(i ir.Inst, v ir.Value) ir.Value {
	t := s.f.TypeOf(v)
	at := i
	switch {
	case v.IsConst() && s.m.HoldsFragment(t): // which no table has
	case v.IsConst():
		for n := range s.m.Globals {
			if g := &s.m.Globals[n]; g.Init == v && s.m.SpaceOf(g.Type) == ir.Constant {
				return ir.GlobalValue(n)
			}
		}
		return s.m.AddGlobal(ir.Global{Name: "table", Type: s.m.PointerTo(ir.Constant, t, ir.Read), Init: v})
	default:
		if int(v) < len(s.spilled) {
			if p := s.spilled[v]; p.address != ir.NoValue && s.within(s.f.BlockOf(i), p.block) {
				return p.address
			}
		}
		at = s.ahead(i, v)
	}
	b := s.builder(at)
	base := b.Var(t, "spilled")
	b.Store(base, v)
	if int(v) < len(s.spilled) { // no value that the pass has loaded
		s.spilled[v] = spilled{base, s.f.BlockOf(at)}
	}
	return base
}

// within reports whether a block is another one or nested in it.
func (s *spiller) within(b, outer ir.Block) bool {
	for b != outer {
		owner := s.f.Parent(b)
		if owner == 0 {
			return false
		}
		b = s.f.BlockOf(owner)
	}
	return true
}

// ahead returns the outermost loop around an instruction before which a value is defined, or the
// instruction. The parameters of a loop's body are visible in its continuing block, too.
func (s *spiller) ahead(i ir.Inst, v ir.Value) ir.Inst {
	f := s.f
	at, home := i, f.Parent(f.DefBlock(v))
	for owner := f.Parent(f.BlockOf(i)); owner != home; owner = f.Parent(f.BlockOf(owner)) {
		if f.Op(owner) == op.Loop {
			at = owner
		}
	}
	return at
}
