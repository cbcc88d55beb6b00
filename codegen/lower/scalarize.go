package lower

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Scalarize splits vector arithmetic into scalar operations (LLVM: Scalarizer):
//
//	%c = add %a, %b : vec2<f32>  ─►  %c = construct (add %a.x, %b.x), (add %a.y, %b.y)
//
// Vectors stay in loads, stores, calls, texture operations, intrinsics, constructs and extracts,
// which cost nothing on machines with scalar registers. Two kinds of operation keep a vector
// result, since its shape differs from the operands': bitcasts between scalars of different widths,
// and unpackings and ballots.
var Scalarize = opt.Pass{
	Name:  "scalarize",
	Doc:   "turn operations on vectors into operations on their components",
	Gives: ir.Scalar,

	Replaces: op.SetOf(op.Splat, op.Shuffle, op.All, op.Any, op.Dot),
	Run: func(c *opt.Context, m *ir.Module) {
		scalarRules(c, m)
		s := opt.Scratch[scalariser](c, "scalarize")
		for _, f := range m.Funcs {
			if f.Had(&assemblies) {
				s.clean(f)
			}
		}
	},
}

var (
	scalarRules = rewrite.Lazy(makeScalarRules)
	assemblies  = op.SetOf(op.Construct, op.Extract)
)

// scalariser removes vectors, and components, that are dead after scalarisation: FMAContraction
// counts the uses of products.
type scalariser struct {
	uses  []uint32
	parts []ir.Inst
}

func (s *scalariser) clean(f *ir.Func) {
	s.uses, s.parts = ir.Zeroed(s.uses, f.ValueCount()), s.parts[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			if a.IsLocal() {
				s.uses[a]++
			}
		}
		if assemblies.Has(f.Op(i)) {
			s.parts = append(s.parts, i)
		}
	}
	for _, i := range slices.Backward(s.parts) {
		if s.uses[f.Result(i)] == 0 {
			for _, a := range f.Args(i) {
				if a.IsLocal() {
					s.uses[a]--
				}
			}
			f.Remove(i)
		}
	}
}

func makeScalarRules() *rewrite.Rules {
	table := new(rewrite.Rules)
	for o := op.Invalid + 1; o < op.Count; o++ {
		if s := op.SignatureOf(o); s.Elementwise() && s.Vector {
			table[o] = rewrite.Componentwise
		}
	}
	for o, rule := range map[op.Op]rewrite.Rule{
		op.Select:  rewrite.Componentwise,
		op.Convert: rewrite.Componentwise,
		op.Bitcast: scalarBitcast,
		op.Splat:   scalarSplat,
		op.Shuffle: scalarShuffle,
		op.All:     scalarAll,
		op.Any:     scalarAll,
		op.Dot:     scalarDot,
		op.Extract: scalarExtract,
		op.Insert:  scalarInsert,
	} {
		table[o] = rule
	}
	return table
}

// scalarBitcast casts by components if operand and result have equally many. Otherwise it casts
// words: one of 32 bits is two of 16.
func scalarBitcast(r *rewrite.Rewriter) ir.Value {
	from := r.F.TypeOf(r.X[0])
	have, n := r.M.Components(from), r.M.Components(r.Type)
	if have == n {
		return rewrite.Componentwise(r)
	}
	if have == 1 || n == 1 {
		return ir.NoValue // of one word: targets have it
	}
	var parts [4]ir.Value
	if have > n { // vec4 of halves
		pair := r.M.VectorOf(r.M.Element(from), 2)
		for k := range n {
			halves := r.Construct(pair, []ir.Value{r.Component(r.X[0], 2*k), r.Component(r.X[0], 2*k+1)})
			parts[k] = r.B.Bitcast(r.M.Element(r.Type), halves)
		}
		return r.Construct(r.Type, parts[:n])
	}
	pair := r.M.VectorOf(r.M.Element(r.Type), 2)
	for k := range have {
		halves := r.B.Bitcast(pair, r.Component(r.X[0], k))
		parts[2*k], parts[2*k+1] = r.B.Extract(halves, 0), r.B.Extract(halves, 1)
	}
	return r.Construct(r.Type, parts[:n])
}

func scalarSplat(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	parts := [4]ir.Value{x, x, x, x}
	return r.Construct(r.Type, parts[:r.M.Components(r.Type)])
}

func scalarShuffle(r *rewrite.Rewriter) ir.Value {
	var parts [4]ir.Value
	n := r.M.Components(r.Type)
	for k := range n {
		parts[k] = r.Component(r.X[0], int(op.SwizzleComponent(r.F.Aux(r.Inst), k)))
	}
	return r.Construct(r.Type, parts[:n])
}

// scalarAll joins the components of all with and, of any with or.
func scalarAll(r *rewrite.Rewriter) ir.Value {
	join := op.And
	if r.F.Op(r.Inst) == op.Any {
		join = op.Or
	}
	v := r.Component(r.X[0], 0)
	for k := 1; k < r.M.Components(r.F.TypeOf(r.X[0])); k++ {
		v = r.Op(join, v, r.Component(r.X[0], k))
	}
	return v
}

// scalarDot adds the products in order.
func scalarDot(r *rewrite.Rewriter) ir.Value {
	sum := r.Op(op.Mul, r.Component(r.X[0], 0), r.Component(r.X[1], 0))
	for k := 1; k < r.M.Components(r.F.TypeOf(r.X[0])); k++ {
		sum = r.Op(op.Add, sum, r.Op(op.Mul, r.Component(r.X[0], k), r.Component(r.X[1], k)))
	}
	return sum
}

// scalarExtract looks through a construct. An index that a replacement has made constant may be out
// of range, and is clamped.
func scalarExtract(r *rewrite.Rewriter) ir.Value {
	at, ok := r.M.ConstIndex(r.F.TypeOf(r.X[0]), r.X[1])
	if !ok {
		return ir.NoValue
	}
	i, ok := r.F.Def(r.X[0])
	if !ok || r.F.Op(i) != op.Construct {
		return ir.NoValue
	}
	return r.F.Resolve(r.F.Arg(i, int(at)))
}

// scalarInsert constructs a vector with one component replaced.
func scalarInsert(r *rewrite.Rewriter) ir.Value {
	n := r.M.Components(r.Type)
	at, ok := r.M.ConstIndex(r.Type, r.X[2])
	if n <= 1 || !ok {
		return ir.NoValue
	}
	var parts [4]ir.Value
	for k := range n {
		if parts[k] = r.X[1]; k != int(at) {
			parts[k] = r.Component(r.X[0], k)
		}
	}
	return r.Construct(r.Type, parts[:n])
}
