package shared

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// SplitShiftedSums is workaround nv-rotate-sum. It keeps the sum or difference of two 64-bit
// shifts from being taken for a rotation. One of the two becomes a 32-bit shift:
//
//	(x << 2) + (x >> 62)   ─►  (x << 2) + i64(upper(x) >> 30)
//	(x << 40) - (x >> 24)  ─►  (u64(lower(x) << 8) << 32) - (x >> 24)
//
// ptxas (12.9 and 13.0) and the Vulkan driver 580 make one 64-bit
// rotation of x << n and x >> 64 - n where they are added or subtracted. They do so for signed
// shifts and in reassociated sums, too. True rotations stay: unsigned shifts that are added or
// joined by | or ^. 32-bit shifts are right. The right shift is split if the left one is by at most
// 32.
var SplitShiftedSums = opt.Pass{
	Name: "nv-rotate-sum",
	Doc:  "keep sums and differences of 64-bit shifts from being taken for rotations",
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[rotateSums](c, "nv-rotate-sum")
		x.r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&rightShifts) {
				x.function(f)
			}
		}
	},
}

var rightShifts = op.SetOf(op.Shr)

type rotateSums struct {
	r rewrite.Rewriter
	// left and right are the shifts of 64 bits by constants.
	left, right []shifted
	// halved lists the shifts that become 32-bit shifts.
	halved []halved
	uses   []uint32
}

// shifted is an instruction that shifts x by n.
type shifted struct {
	shift ir.Inst
	x     ir.Value
	n     uint64
}

// halved is the result of a 64-bit shift, and the same value from a 32-bit shift.
type halved struct{ full, half ir.Value }

func (x *rotateSums) function(f *ir.Func) {
	x.r.F, x.r.B.F = f, f
	x.left, x.right, x.halved = x.left[:0], x.right[:0], x.halved[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if t := f.Type(i); t != ir.I64 && t != ir.U64 {
			continue
		}
		if n, of := MatchShl(&x.r, i); n != 0 {
			x.left = append(x.left, shifted{i, of, n})
			x.addCombinedShift(shifted{i, of, n})
		} else if f.Op(i) == op.Shr {
			if n, ok := x.r.M.ConstSplatBits(f.Arg(i, 1)); ok {
				x.right = append(x.right, shifted{i, plain(&x.r, f.Arg(i, 0)), n & 63})
			}
		}
	}
	for _, r := range x.right {
		for _, l := range x.left {
			if !rotates(l, r) {
				continue
			}
			if l.n <= 32 {
				x.halve(r, x.upper)
			} else {
				x.halve(l, x.lower)
			}
		}
	}
	if len(x.halved) == 0 {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if x.isRotation(i) {
			continue
		}
		for n, a := range f.Args(i) {
			if k := slices.IndexFunc(x.halved, func(h halved) bool { return h.full == a }); k >= 0 {
				f.SetArg(i, n, x.halved[k].half)
			}
		}
	}
	x.uses = f.CountUses(x.uses)
	for _, h := range x.halved {
		if i, ok := f.Def(h.full); ok && x.uses[h.full] == 0 {
			f.Remove(i)
		}
	}
}

// addCombinedShift adds s combined with the shift that is its operand, if any. Other passes have
// combined two shifts already, but not where one is a sum.
func (x *rotateSums) addCombinedShift(s shifted) {
	for _, of := range x.left {
		if x.r.F.Result(of.shift) == s.x && of.n+s.n < 64 {
			x.left = append(x.left, shifted{s.shift, of.x, of.n + s.n})
		}
	}
}

// rotates reports whether two shifts are those of a rotation.
func rotates(l, r shifted) bool { return l.x == r.x && l.n+r.n == 64 }

// isRotation reports whether an instruction is a true rotation of two shifts.
func (x *rotateSums) isRotation(i ir.Inst) bool {
	f := x.r.F
	if o := f.Op(i); o != op.Add && o != op.Or && o != op.Xor || f.Type(i) != ir.U64 {
		return false
	}
	for n := range 2 {
		for _, l := range x.left {
			if f.Result(l.shift) == f.Arg(i, n) && slices.ContainsFunc(x.right, func(r shifted) bool {
				return f.Result(r.shift) == f.Arg(i, 1-n) && rotates(l, r)
			}) {
				return true
			}
		}
	}
	return false
}

// halve builds the 32-bit version of a shift.
func (x *rotateSums) halve(s shifted, build func(shifted) ir.Value) {
	v := x.r.F.Result(s.shift)
	if slices.ContainsFunc(x.halved, func(h halved) bool { return h.full == v }) {
		return
	}
	x.r.At(s.shift)
	x.halved = append(x.halved, halved{v, build(s)})
}

// upper builds a right shift by at least 32.
func (x *rotateSums) upper(s shifted) ir.Value {
	r := &x.r
	k := r.M.ScalarOf(r.Type)
	high := r.B.Extract(x.words(s), 1)
	if k.IsSigned() {
		high = r.Cast(scalar.I32, high)
	}
	return r.B.Convert(k, r.Shr(high, int(s.n-32)))
}

// lower builds a left shift by more than 32.
func (x *rotateSums) lower(s shifted) ir.Value {
	r := &x.r
	low := r.Shl(r.B.Extract(x.words(s), 0), int(s.n-32))
	return r.B.Bitcast(r.Type, r.B.Construct(r.M.VectorOf(ir.U32, 2), r.Bits(ir.U32, 0), low))
}

// words returns the operand of a shift as two words.
func (x *rotateSums) words(s shifted) ir.Value {
	return x.r.B.Bitcast(x.r.M.VectorOf(ir.U32, 2), s.x)
}
