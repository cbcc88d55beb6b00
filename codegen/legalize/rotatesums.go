package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// RotateSums keeps sums and differences of two shifts from being taken for rotations:
//
//	(x << 2) + (x >> 62)   ─►  (x << 2) + ~(~x >> 62)           for an i64
//	(x << 2) - (x >> 62)   ─►  (x << 2) - (~(~x >> 62) & 3)     for a u64
//
// NVIDIA's compilers (ptxas 12.9 and 13.0, and the driver 580 through Vulkan) make one rotation of
// 64 bits of x << n and x >> 64 - n in a sum. They do so for shifts with a sign, too, and ptxas for
// differences. Sums without a sign are rotations and stay; shifts of 32 bits are right.
//
// The second form is enough for ptxas alone: through Vulkan the difference of u64 is still wrong.
var RotateSums = opt.Pass{
	Name:  "rotatesums",
	Doc:   "keep sums and differences of shifts of 64 bits from being taken for rotations",
	Keeps: ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[rotateSums](c, "rotatesums")
		x.r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if f.Had(&rightShifts) && f.Had(&sumsOfTwo) {
				x.function(f)
			}
		}
	},
}

var rightShifts, sumsOfTwo = op.SetOf(op.Shr), op.SetOf(op.Add, op.Sub)

type rotateSums struct {
	r rewriter
	// left are the left shifts of 64 bits by constants.
	left []shifted
}

// shifted is a shift of x by n.
type shifted struct {
	x ir.Value
	n uint64
}

func (x *rotateSums) function(f *ir.Func) {
	x.r.f, x.r.b.F = f, f
	x.left = x.left[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if s, ok := x.leftShift(i); ok {
			x.left = append(x.left, s)
		}
	}
	if len(x.left) == 0 {
		return
	}
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.Shr:
			if f.Type(i) == ir.I64 && x.rotates(i) {
				x.r.stand(i)
				f.Replace(f.Result(i), x.complemented(i))
				f.Remove(i)
			}
		case op.Sub:
			for n, a := range f.Args(i) {
				if s, ok := f.Def(x.plain(a)); ok && f.Op(s) == op.Shr && f.Type(s) == ir.U64 && x.rotates(s) {
					x.r.stand(i)
					f.SetArg(i, n, x.r.cast(x.r.m.ScalarOf(f.TypeOf(a)), x.complemented(s)))
				}
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// leftShift returns the shift that an instruction is, or a product with a power of two, or a sum of
// a value with itself.
func (x *rotateSums) leftShift(i ir.Inst) (s shifted, ok bool) {
	f, m := x.r.f, x.r.m
	if t := f.Type(i); t != ir.I64 && t != ir.U64 {
		return s, false
	}
	switch f.Op(i) {
	case op.Shl:
		n, ok := m.ConstSplatBits(f.Resolve(f.Arg(i, 1)))
		return shifted{x.plain(f.Arg(i, 0)), n & 63}, ok
	case op.Mul:
		c, ok := m.ConstSplatBits(f.Resolve(f.Arg(i, 1)))
		return shifted{x.plain(f.Arg(i, 0)), uint64(bits.TrailingZeros64(c))}, ok && bits.OnesCount64(c) == 1
	case op.Add:
		a := x.plain(f.Arg(i, 0))
		return shifted{a, 1}, a == x.plain(f.Arg(i, 1))
	}
	return s, false
}

// rotates reports whether a right shift and some left shift make a rotation.
func (x *rotateSums) rotates(i ir.Inst) bool {
	n, ok := x.r.m.ConstSplatBits(x.r.f.Resolve(x.r.f.Arg(i, 1)))
	if !ok {
		return false
	}
	v := x.plain(x.r.f.Arg(i, 0))
	for _, s := range x.left {
		if s.x == v && s.n+n&63 == 64 {
			return true
		}
	}
	return false
}

// complemented builds a right shift by the complement of what is shifted.
func (x *rotateSums) complemented(i ir.Inst) ir.Value {
	r, f := &x.r, x.r.f
	v, n := f.Resolve(f.Arg(i, 0)), f.Resolve(f.Arg(i, 1))
	shift := r.op(op.Not, r.op(op.Shr, r.op(op.Not, v), n))
	if f.Type(i) == ir.I64 {
		return shift
	}
	distance, _ := r.m.ConstSplatBits(n)
	return r.op(op.And, shift, r.bits(ir.U64, 1<<(64-distance)-1))
}

// plain returns what a value is reinterpreted from.
func (x *rotateSums) plain(v ir.Value) ir.Value {
	f := x.r.f
	v = f.Resolve(v)
	for {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Bitcast || x.r.m.ScalarOf(f.TypeOf(f.Arg(i, 0))).Bits() != 64 {
			return v
		}
		v = f.Resolve(f.Arg(i, 0))
	}
}
