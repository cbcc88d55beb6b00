package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// CombineTruncExt takes the low bits of a value that is converted to 8 or 16 bits, and from there
// to another kind, by operations on words. On machines that have words only it saves an
// instruction. One driver needs it (workaround.Choices).
var CombineTruncExt = opt.Pass{
	Name: "combine-trunc-ext",
	Doc:  "convert to 8 or 16 bits and on by taking the low bits of words",
	Run:  narrowPairs.Everywhere(),
}

var narrowPairs = rewrite.Rules{op.Convert: narrowPair}

func narrowPair(r *rewrite.Rewriter) ir.Value {
	first, ok := r.F.Def(r.X[0])
	if !r.Kind.IsNarrow() || !ok || r.F.Op(first) != op.Convert {
		return ir.NoValue
	}
	x, to := r.F.Arg(first, 0), r.M.ScalarOf(r.Type)
	if r.M.ScalarOf(r.F.TypeOf(x)) == scalar.Bool {
		return ir.NoValue
	}
	if to.IsNarrow() && to.Bits() <= r.Kind.Bits() {
		return r.B.Convert(to, x)
	}
	if !r.Kind.IsSigned() {
		return r.B.Convert(to, r.Op(op.And, r.B.Convert(scalar.U32, x), r.M.ConstU32(uint32(r.Kind.Mask()))))
	}
	x = r.B.Convert(scalar.I32, x)
	return r.B.Convert(to, r.B.Op(op.ExtractBits, x, r.M.ConstU32(0), r.M.ConstU32(uint32(r.Kind.Bits()))))
}
