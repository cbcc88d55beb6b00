package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Complements writes sums with complements as sums without:
//
//	x - ~y  ─►  x + y + 1
//	x + ~y  ─►  x - y - 1
//	-~y     ─►  y + 1
//	x ^ -1  ─►  ~x
//
// NVIDIA's compilers (driver 580, ptxas 12.9 and 13.0, no more 13.5) lose complements
// when they compute with numbers that they know: `if x == 8 { y = x ^ -1 }` makes y 8
// (codegen/ptx emits a subtraction for ~x), and 0 - ~y + 1 becomes ~y - 1.
// `d[local_id.z - ~group.x + 1]` read the last element instead of the third. Without
// a complement in the sum, it is right.
var Complements = opt.Pass{
	Name:  "complements",
	Doc:   "write sums with complements as sums without",
	Keeps: ir.Uncounted | ir.Unchained,
	Run:   func(c *opt.Context, m *ir.Module) { complementRules.run(c, m) },
}

var complementRules = rules{
	op.Add: addComplement,
	op.Sub: subtractComplement,
	op.Neg: negateComplement,
	op.Xor: complement,
}

// complemented returns y if a value is ~y of 32-bit integers, in any way to write it.
func (r *rewriter) complemented(v ir.Value) (y ir.Value, ok bool) {
	f := r.f
	i, ok := f.Def(v)
	if !ok || !isInteger32(f, v) {
		return ir.NoValue, false
	}
	ones := r.bits(f.TypeOf(v), 1<<32-1)
	switch o := f.Op(i); {
	case o == op.Not, o == op.Xor && f.Arg(i, 1) == ones:
		return f.Resolve(f.Arg(i, 0)), true
	case o == op.Sub && f.Arg(i, 0) == ones, o == op.Xor && f.Arg(i, 0) == ones:
		return f.Resolve(f.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

func addComplement(r *rewriter) ir.Value {
	for n := range 2 {
		if y, ok := r.complemented(r.x[n]); ok {
			return r.op(op.Sub, r.op(op.Sub, r.x[1-n], y), r.bits(r.t, 1))
		}
	}
	return ir.NoValue
}

func subtractComplement(r *rewriter) ir.Value {
	if y, ok := r.complemented(r.x[1]); ok {
		return r.op(op.Add, r.op(op.Add, r.x[0], y), r.bits(r.t, 1))
	}
	return ir.NoValue
}

func negateComplement(r *rewriter) ir.Value {
	if y, ok := r.complemented(r.x[0]); ok {
		return r.op(op.Add, y, r.bits(r.t, 1))
	}
	return ir.NoValue
}

func complement(r *rewriter) ir.Value {
	for n := range 2 {
		if isInteger32(r.f, r.x[n]) && r.x[n] == r.bits(r.t, 1<<32-1) {
			return r.op(op.Not, r.x[1-n])
		}
	}
	return ir.NoValue
}
