package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// DecomposeAggregates splits copies of aggregates into scalars, for machines whose registers are
// scalars. Small aggregates are loaded and stored scalar by scalar. Large ones are copied by loops
// over their elements, so that the code does not grow with the array:
//
//	copy @b, @a : of array<f32, 1000>  ─►  for %k < 1000u { store @b[%k], load @a[%k] }
//
// A large constant is stored by a loop if its elements are the same, and else copied from a table.
// The pass comes before LowerAccess.
var DecomposeAggregates = opt.Pass{
	Name:   "decompose-aggregates",
	Doc:    "copy small aggregates as values and large ones in loops",
	Needs:  ir.Structured,
	Breaks: ir.Promoted,

	Replaces: op.SetOf(op.Copy),

	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			a := aggregates{m: m, f: f}
			a.b.F = f
			a.function()
		}
	},
}

type aggregates struct {
	m *ir.Module
	f *ir.Func
	b ir.Builder
}

func (a *aggregates) function() {
	f := a.f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch o := f.Op(i); {
		case o == op.Copy:
			a.at(i)
			a.copy(f.Arg(i, 0), f.Arg(i, 1))
			f.Remove(i)
		case o == op.Store && a.large(f.TypeOf(f.Arg(i, 1))):
			a.store(i)
		}
		i = next
	}
}

// at makes the builder insert before an instruction.
func (a *aggregates) at(i ir.Inst) {
	a.b.At(i)
	a.b.Flags = ir.InBounds
}

func (a *aggregates) large(t ir.Type) bool {
	n, ok := a.m.Slots(t)
	return ok && n > copiedScalars
}

// copy builds a copy between two pointers.
func (a *aggregates) copy(to, from ir.Value) {
	t := a.m.Element(a.f.TypeOf(to))
	switch k := a.m.KindOf(t); {
	case !a.large(t):
		a.b.Store(to, a.b.Load(from))
	case k == ir.StructType:
		for n := range a.m.Members(t) {
			index := a.m.ConstU32(uint32(n))
			a.copy(a.b.Access(to, index), a.b.Access(from, index))
		}
	default:
		a.each(t, func(index ir.Value) {
			a.copy(a.b.Access(to, index), a.b.Access(from, index))
		})
	}
}

// each builds a loop over the elements of an array type, and leaves the builder after it.
func (a *aggregates) each(t ir.Type, body func(index ir.Value)) {
	n, _ := a.m.Count(t)
	a.b.Count(n, body)
}

// store replaces the store of a large constant.
func (a *aggregates) store(i ir.Inst) {
	f := a.f
	if v := f.Arg(i, 1); v.IsConst() {
		a.at(i)
		a.constant(f.Arg(i, 0), v)
		f.Remove(i)
	}
}

// constant builds the store of a constant.
func (a *aggregates) constant(to, v ir.Value) {
	t := a.m.TypeOf(v)
	switch {
	case !a.large(t):
		a.b.Store(to, v)
	case a.m.KindOf(t) == ir.StructType:
		for n := range a.m.Members(t) {
			a.constant(a.b.Access(to, a.m.ConstU32(uint32(n))), a.m.ConstPart(v, uint32(n)))
		}
	case a.alike(v):
		a.each(t, func(index ir.Value) {
			a.constant(a.b.Access(to, index), a.m.ConstPart(v, 0))
		})
	default:
		a.copy(to, a.m.AddGlobal(ir.Global{Name: "table", Type: a.m.PointerTo(ir.Constant, t, ir.Read), Init: v}))
	}
}

// alike reports whether all elements of a constant array are the same.
func (a *aggregates) alike(v ir.Value) bool {
	n, _ := a.m.Count(a.m.TypeOf(v))
	if a.m.IsZero(v) {
		return true
	}
	first := a.m.ConstPart(v, 0)
	for k := uint32(1); k < n; k++ {
		if a.m.ConstPart(v, k) != first {
			return false
		}
	}
	return true
}
