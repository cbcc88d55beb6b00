package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// CombineTruncExt merges a conversion to 8 or 16 bits and another one from there into an extraction
// of the low bits of a word. LLVM's InstCombine merges trunc with zext and sext alike:
//
//	u32(u8(x))  ─►  u32(x) & 0xff
//	i32(i8(x))  ─►  extractBits(i32(x), 0, 8)
//
// On machines with words only it saves an instruction. One driver converts wrongly without it
// (workaround.Choices).
var CombineTruncExt = opt.Pass{
	Name: "combine-trunc-ext",
	Doc:  "replace conversions through 8 and 16 bits by extractions of the low bits of words",
	Run:  truncExtRules.Everywhere(),
}

var truncExtRules = rewrite.Rules{op.Convert: combineTruncExt}

func combineTruncExt(r *rewrite.Rewriter) ir.Value {
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
