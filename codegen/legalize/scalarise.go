package legalize

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Scalarise makes arithmetic scalar: an operation on vectors becomes one for
// each component and a construct of the results. Vectors stay where they are
// loaded, stored, passed, read from textures, and put together or taken apart, which costs nothing
// on machines with scalar registers. Two kinds of operation keep a vector
// result because it has another shape than the operands: bitcasts between
// scalars of different widths, and unpackings and ballots.
var Scalarise = opt.Pass{
	Name:  "scalarise",
	Doc:   "turn operations on vectors into operations on their components",
	Gives: ir.Scalar,

	Replaces: op.SetOf(op.Splat, op.Shuffle, op.All, op.Any, op.Dot),
	Run: func(c *opt.Context, m *ir.Module) {
		scalarRules(c, m)
		s := opt.Scratch[scalariser](c, "scalarise")
		for _, f := range m.Funcs {
			if f.Had(&assemblies) {
				s.clean(f)
			}
		}
	},
}

var (
	scalarRules = made(makeScalarRules)
	assemblies  = op.SetOf(op.Construct, op.Extract)
)

// scalariser removes the vectors that nothing uses once their components are used in their
// place, and the components of such. Contract counts the uses of products.
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

func makeScalarRules() *rules {
	table := new(rules)
	for o := op.Invalid + 1; o < op.Count; o++ {
		if s := op.SignatureOf(o); s.Elementwise() && s.Vector {
			table[o] = componentwise
		}
	}
	for o, rule := range map[op.Op]rule{
		op.Select:  componentwise,
		op.Convert: componentwise,
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

// scalarBitcast goes by components where there are as many, and otherwise by
// words: one of 32 bits is two of 16.
func scalarBitcast(r *rewriter) ir.Value {
	from := r.f.TypeOf(r.x[0])
	have, n := r.m.Components(from), r.m.Components(r.t)
	if have == n {
		return componentwise(r)
	}
	if have == 1 || n == 1 {
		return ir.NoValue // of one word, which targets have
	}
	var parts [4]ir.Value
	if have > n { // vec4 of halves
		pair := r.m.VectorOf(r.m.Element(from), 2)
		for k := range n {
			halves := r.construct(pair, []ir.Value{r.component(r.x[0], 2*k), r.component(r.x[0], 2*k+1)})
			parts[k] = r.b.Bitcast(r.m.Element(r.t), halves)
		}
		return r.construct(r.t, parts[:n])
	}
	pair := r.m.VectorOf(r.m.Element(r.t), 2)
	for k := range have {
		halves := r.b.Bitcast(pair, r.component(r.x[0], k))
		parts[2*k], parts[2*k+1] = r.b.Extract(halves, 0), r.b.Extract(halves, 1)
	}
	return r.construct(r.t, parts[:n])
}

func scalarSplat(r *rewriter) ir.Value {
	x := r.x[0]
	parts := [4]ir.Value{x, x, x, x}
	return r.construct(r.t, parts[:r.m.Components(r.t)])
}

func scalarShuffle(r *rewriter) ir.Value {
	var parts [4]ir.Value
	n := r.m.Components(r.t)
	for k := range n {
		parts[k] = r.component(r.x[0], int(op.SwizzleComponent(r.f.Aux(r.i), k)))
	}
	return r.construct(r.t, parts[:n])
}

// scalarAll joins the components of all with and, of any with or.
func scalarAll(r *rewriter) ir.Value {
	join := op.And
	if r.f.Op(r.i) == op.Any {
		join = op.Or
	}
	v := r.component(r.x[0], 0)
	for k := 1; k < r.m.Components(r.f.TypeOf(r.x[0])); k++ {
		v = r.op(join, v, r.component(r.x[0], k))
	}
	return v
}

// scalarDot adds the products in order.
func scalarDot(r *rewriter) ir.Value {
	sum := r.op(op.Mul, r.component(r.x[0], 0), r.component(r.x[1], 0))
	for k := 1; k < r.m.Components(r.f.TypeOf(r.x[0])); k++ {
		sum = r.op(op.Add, sum, r.op(op.Mul, r.component(r.x[0], k), r.component(r.x[1], k)))
	}
	return sum
}

// scalarExtract looks through a construct. An index that a replacement has made
// constant may lie outside.
func scalarExtract(r *rewriter) ir.Value {
	at, ok := r.m.ConstIndex(r.f.TypeOf(r.x[0]), r.x[1])
	if !ok {
		return ir.NoValue
	}
	i, ok := r.f.Def(r.x[0])
	if !ok || r.f.Op(i) != op.Construct {
		return ir.NoValue
	}
	return r.f.Resolve(r.f.Arg(i, int(at)))
}

// scalarInsert constructs a vector with one component replaced.
func scalarInsert(r *rewriter) ir.Value {
	n := r.m.Components(r.t)
	at, ok := r.m.ConstIndex(r.t, r.x[2])
	if n <= 1 || !ok {
		return ir.NoValue
	}
	var parts [4]ir.Value
	for k := range n {
		if parts[k] = r.x[1]; k != int(at) {
			parts[k] = r.component(r.x[0], k)
		}
	}
	return r.construct(r.t, parts[:n])
}
