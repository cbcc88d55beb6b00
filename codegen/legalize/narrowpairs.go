package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// NarrowPairs takes the low bits of what is converted to 8 or 16 bits and from there to another
// kind by operations on words. NVIDIA's driver 580 converts the word -x to i8 and back to 128 where
// x is -128 as an i8, and not to -128; with machines that have words only, it is an instruction
// less.
var NarrowPairs = opt.Pass{
	Name: "narrowpairs",
	Doc:  "convert to 8 or 16 bits and on by taking the low bits of words",
	Run:  narrowPairs.everywhere(),
}

var narrowPairs = rules{op.Convert: narrowPair}

func narrowPair(r *rewriter) ir.Value {
	first, ok := r.f.Def(r.x[0])
	if !r.kind.IsNarrow() || !ok || r.f.Op(first) != op.Convert {
		return ir.NoValue
	}
	x, to := r.f.Arg(first, 0), r.m.ScalarOf(r.t)
	if r.m.ScalarOf(r.f.TypeOf(x)) == scalar.Bool {
		return ir.NoValue
	}
	if to.IsNarrow() && to.Bits() <= r.kind.Bits() {
		return r.b.Convert(to, x)
	}
	if !r.kind.IsSigned() {
		return r.b.Convert(to, r.op(op.And, r.b.Convert(scalar.U32, x), r.m.ConstU32(uint32(r.kind.Mask()))))
	}
	x = r.b.Convert(scalar.I32, x)
	return r.b.Convert(to, r.b.Op(op.ExtractBits, x, r.m.ConstU32(0), r.m.ConstU32(uint32(r.kind.Bits()))))
}
