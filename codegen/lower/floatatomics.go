package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// FloatAtomics makes atomics of f32 and f64 those of unsigned integers, for targets that lack them
// (LLVM: AtomicExpand). A sum becomes a loop with a compare-exchange:
//
//	%o = atomic_rmw %p, %v [add] : f32  ─►  loop(%o = atomic_load %p) {
//	                                          %new = bitcast (add (bitcast %o), %v)
//	                                          %seen = atomic_compare_exchange %p, %o, %new
//	                                          next(%seen) break_if %seen == %o
//	                                        }
var FloatAtomics = opt.Pass{
	Name:  "float-atomics",
	Doc:   "make atomics of f32 and f64 those of integers, and sums loops with a compare-exchange",
	Needs: ir.Structured,
	Run: func(_ *opt.Context, m *ir.Module) {
		found := false
		for _, f := range m.Funcs {
			if f.Had(&atomics) {
				a := floatAtomics{f: f, m: m, b: ir.Builder{F: f}}
				found = a.run() || found
			}
		}
		if found {
			m.IntegerAtomics(wordFloats)
		}
	},
}

// wordFloats are the floats whose atomics become those of integers.
const wordFloats scalar.Set = 1<<scalar.F32 | 1<<scalar.F64

var atomics = op.SetOf(op.AtomicLoad, op.AtomicStore, op.AtomicReadModifyWrite, op.AtomicCompareExchange)

type floatAtomics struct {
	f *ir.Func
	m *ir.Module
	b ir.Builder
}

// run rewrites a function, and reports whether it has such atomics.
func (a *floatAtomics) run() (found bool) {
	f := a.f
	var list []ir.Inst
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if atomics.Has(f.Op(i)) && wordFloats.Has(a.kind(i)) {
			list = append(list, i)
		}
	}
	for _, i := range list {
		a.rewrite(i)
		f.Remove(i)
	}
	f.ApplyReplacements()
	return len(list) > 0
}

// kind returns the kind of float that an access is to.
func (a *floatAtomics) kind(i ir.Inst) scalar.Kind {
	return a.m.ScalarOf(a.m.Element(a.f.TypeOf(a.f.Arg(i, 0))))
}

func (a *floatAtomics) rewrite(i ir.Inst) {
	f, b := a.f, &a.b
	b.At(i)
	b.Span = f.SpanOf(i)
	kind, p := a.kind(i), f.Arg(i, 0)
	word := ir.Type(scalar.Unsigned(kind.Bits()))
	bits := func(n int) ir.Value { return b.Bitcast(word, f.Arg(i, n)) }
	var old ir.Value
	switch o := f.Op(i); {
	case o == op.AtomicStore:
		b.Emit(op.AtomicStore, ir.Void, 0, p, bits(1))
		return
	case o == op.AtomicLoad:
		old = b.Emit(op.AtomicLoad, word, 0, p)
	case o == op.AtomicCompareExchange:
		old = b.Emit(op.AtomicCompareExchange, word, 0, p, bits(1), bits(2))
	case op.AtomicOperation(f.Aux(i)) == op.AtomicExchange:
		old = b.Emit(op.AtomicReadModifyWrite, word, f.Aux(i), p, bits(1))
	default:
		old = a.loop(p, word, func(old ir.Value) ir.Value {
			sum := map[op.AtomicOperation]op.Op{op.AtomicAdd: op.Add, op.AtomicSub: op.Sub, op.AtomicMin: op.Min, op.AtomicMax: op.Max}[op.AtomicOperation(f.Aux(i))]
			return b.Bitcast(word, b.Op(sum, b.Bitcast(ir.Type(kind), old), f.Arg(i, 1)))
		})
	}
	if r := f.Result(i); r != ir.NoValue {
		f.Replace(r, b.Bitcast(ir.Type(kind), old))
	}
}

// loop changes a word by a function, and returns what it was before.
func (a *floatAtomics) loop(p ir.Value, word ir.Type, change func(ir.Value) ir.Value) ir.Value {
	f, b := a.f, &a.b
	first := b.Emit(op.AtomicLoad, word, 0, p)
	loop := b.Loop()
	behind := *b
	old := f.AddLoopParam(loop, first)
	result := f.AddResult(loop, word)
	b.SetBlock(f.Region(loop, 0))
	b.Continue(loop)
	b.SetBlock(f.Region(loop, 1))
	seen := b.Emit(op.AtomicCompareExchange, word, 0, p, old, change(old))
	b.Next(loop, []ir.Value{seen}, b.Op(op.Eq, seen, old), []ir.Value{seen})
	*b = behind
	return result
}
