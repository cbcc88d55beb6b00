package eval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

var integerKinds = []scalar.Kind{scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.AbstractInt}

const (
	lowest32  = math.MinInt32
	highest32 = math.MaxInt32
	lowest64  = math.MinInt64
)

func TestIntegerFacts(t *testing.T) {
	for _, row := range []struct {
		o          op.Op
		k          scalar.Kind
		a, b, c, d int64
		want       int64
	}{
		{o: op.Neg, k: scalar.I32, a: lowest32, want: lowest32},
		{o: op.Add, k: scalar.I32, a: highest32, b: 1, want: lowest32},
		{o: op.Sub, k: scalar.U32, a: 0, b: 1, want: 0xFFFFFFFF},
		{o: op.Mul, k: scalar.U32, a: 0x10000, b: 0x10000, want: 0},
		{o: op.MulHigh, k: scalar.U32, a: 0x10000, b: 0x10000, want: 1},
		{o: op.MulHigh, k: scalar.U32, a: 0xFFFFFFFF, b: 0xFFFFFFFF, want: 0xFFFFFFFE},
		{o: op.MulHigh, k: scalar.U64, a: 1 << 40, b: 1 << 30, want: 1 << 6},
		{o: op.MulHigh, k: scalar.U64, a: -1, b: -1, want: -2},
		{o: op.Div, k: scalar.I32, a: -7, b: 2, want: -3},
		{o: op.Div, k: scalar.I32, a: -7, b: 0, want: -7},
		{o: op.Div, k: scalar.I32, a: lowest32, b: -1, want: lowest32},
		{o: op.Div, k: scalar.I64, a: lowest64, b: -1, want: lowest64},
		{o: op.Div, k: scalar.U32, a: 0xFFFFFFFF, b: 2, want: 0x7FFFFFFF},
		{o: op.Div, k: scalar.U64, a: -1, b: 2, want: math.MaxInt64},
		{o: op.Rem, k: scalar.I32, a: -7, b: 2, want: -1},
		{o: op.Rem, k: scalar.I32, a: -7, b: 0, want: 0},
		{o: op.Rem, k: scalar.I32, a: lowest32, b: -1, want: 0},
		{o: op.Rem, k: scalar.U32, a: 7, b: 0, want: 0},
		{o: op.Abs, k: scalar.I32, a: lowest32, want: lowest32},
		{o: op.Abs, k: scalar.I32, a: -5, want: 5},
		{o: op.Abs, k: scalar.U32, a: 0xFFFFFFFF, want: 0xFFFFFFFF},
		{o: op.Min, k: scalar.I32, a: -1, b: 1, want: -1},
		{o: op.Min, k: scalar.U32, a: 0xFFFFFFFF, b: 1, want: 1},
		{o: op.Max, k: scalar.I64, a: -1, b: 1, want: 1},
		{o: op.Clamp, k: scalar.I32, a: 5, b: 3, c: 1, want: 1}, // min(max(5, 3), 1)
		{o: op.Clamp, k: scalar.U32, a: 0, b: 3, c: 9, want: 3},
		{o: op.Sign, k: scalar.I32, a: lowest32, want: -1},
		{o: op.Sign, k: scalar.I64, a: 9, want: 1},
		{o: op.Not, k: scalar.U32, a: 1, want: 0xFFFFFFFE},
		{o: op.Not, k: scalar.Bool, a: 1, want: 0},
		{o: op.Shl, k: scalar.I32, a: 1, b: 31, want: lowest32},
		{o: op.Shl, k: scalar.U32, a: 3, b: 32, want: 3},
		{o: op.Shl, k: scalar.U32, a: 3, b: 33, want: 6},
		{o: op.Shl, k: scalar.U64, a: 3, b: 33, want: 3 << 33},
		{o: op.Shl, k: scalar.U64, a: 3, b: 64, want: 3},
		{o: op.Shr, k: scalar.I32, a: -8, b: 1, want: -4},
		{o: op.Shr, k: scalar.I32, a: -8, b: 35, want: -1},
		{o: op.Shr, k: scalar.U32, a: 0x80000000, b: 31, want: 1},
		{o: op.Shr, k: scalar.I64, a: lowest64, b: 63, want: -1},
		{o: op.CountLeadingZeros, k: scalar.I32, a: 0, want: 32},
		{o: op.CountLeadingZeros, k: scalar.I32, a: -1, want: 0},
		{o: op.CountLeadingZeros, k: scalar.U64, a: 1, want: 63},
		{o: op.CountTrailingZeros, k: scalar.U32, a: 0, want: 32},
		{o: op.CountTrailingZeros, k: scalar.U64, a: 0, want: 64},
		{o: op.CountTrailingZeros, k: scalar.I32, a: lowest32, want: 31},
		{o: op.FirstLeadingBit, k: scalar.I32, a: 0, want: -1},
		{o: op.FirstLeadingBit, k: scalar.I32, a: -1, want: -1},
		{o: op.FirstLeadingBit, k: scalar.I32, a: -2, want: 0},
		{o: op.FirstLeadingBit, k: scalar.I32, a: lowest32, want: 30},
		{o: op.FirstLeadingBit, k: scalar.U32, a: 0, want: 0xFFFFFFFF},
		{o: op.FirstLeadingBit, k: scalar.U32, a: 0x80000000, want: 31},
		{o: op.FirstTrailingBit, k: scalar.I32, a: 0, want: -1},
		{o: op.FirstTrailingBit, k: scalar.U64, a: 1 << 40, want: 40},
		{o: op.ReverseBits, k: scalar.U32, a: 1, want: 0x80000000},
		{o: op.ReverseBits, k: scalar.I64, a: 1, want: lowest64},
		{o: op.ExtractBits, k: scalar.U32, a: 0xABCD, b: 4, c: 8, want: 0xBC},
		{o: op.ExtractBits, k: scalar.I32, a: 0xABCD, b: 4, c: 8, want: -0x44},
		{o: op.ExtractBits, k: scalar.I32, a: -1, b: 0, c: 0, want: 0},
		{o: op.ExtractBits, k: scalar.U32, a: 0xF0000000, b: 28, c: 99, want: 15},
		{o: op.ExtractBits, k: scalar.U32, a: 0xF0000000, b: 99, c: 1, want: 0},
		{o: op.ExtractBits, k: scalar.I64, a: -5, b: 0, c: 64, want: -5},
		{o: op.InsertBits, k: scalar.U32, a: 0xFFFF, b: 0, c: 4, d: 8, want: 0xF00F},
		{o: op.InsertBits, k: scalar.U32, a: 5, b: 9, c: 0, d: 32, want: 9},
		{o: op.InsertBits, k: scalar.U32, a: 5, b: 9, c: 0, d: 0, want: 5},
		{o: op.InsertBits, k: scalar.I32, a: 0, b: -1, c: 31, d: 5, want: lowest32},
		{o: op.InsertBits, k: scalar.U32, a: 5, b: 9, c: 32, d: 5, want: 5},
		{o: op.Lt, k: scalar.I32, a: -1, b: 0, want: 1},
		{o: op.Lt, k: scalar.U32, a: 0xFFFFFFFF, b: 0, want: 0},
		{o: op.Ge, k: scalar.U64, a: -1, b: 0, want: 1},
		{o: op.Select, k: scalar.I32, a: 1, b: -2, c: 3, want: -2},
		{o: op.Select, k: scalar.Bool, a: 0, b: 1, c: 0, want: 0},
	} {
		store := func(x int64) uint64 { return scalar.FromInt64(row.k, x) }
		a := store(row.a)
		if row.o == op.Select {
			a = uint64(row.a)
		}
		result := row.k
		if row.o == op.Lt || row.o == op.Ge {
			result = scalar.Bool
		}
		got := eval.For(row.o, row.k)(a, store(row.b), store(row.c), store(row.d))
		if want := scalar.FromInt64(result, row.want); got != want {
			t.Errorf("%s.%s(%d, %d, %d, %d) = %#x, want %#x", row.o, row.k, row.a, row.b, row.c, row.d, got, want)
		}
	}
}

// exact returns the integer that storage means.
func exact(k scalar.Kind, stored uint64) *big.Int {
	if k == scalar.U64 {
		return new(big.Int).SetUint64(stored)
	}
	return big.NewInt(scalar.ToInt64(k, stored))
}

// wrapped returns the storage of an integer modulo the width of k.
func wrapped(k scalar.Kind, x *big.Int) uint64 {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(k.Bits()))
	return new(big.Int).Mod(x, modulus).Uint64()
}

// sample returns a stored integer that is often near a boundary.
func sample(r *rand.Rand, k scalar.Kind) uint64 {
	x := r.Uint64() >> r.IntN(64)
	switch r.IntN(4) {
	case 0:
		x = 1<<r.IntN(64) - r.Uint64N(3)
	case 1:
		x = -x
	}
	return x & k.Mask()
}

// TestIntegerArithmeticIsThatOfBigIntegers: arithmetic agrees with unbounded integers taken modulo
// 2 to the width.
func TestIntegerArithmeticIsThatOfBigIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	operations := map[op.Op]func(z, x, y *big.Int) *big.Int{
		op.Add: (*big.Int).Add, op.Sub: (*big.Int).Sub, op.Mul: (*big.Int).Mul,
		op.Div: (*big.Int).Quo, op.Rem: (*big.Int).Rem,
		op.And: (*big.Int).And, op.Or: (*big.Int).Or, op.Xor: (*big.Int).Xor,
	}
	compares := map[op.Op]func(order int) bool{
		op.Eq: func(order int) bool { return order == 0 }, op.Ne: func(order int) bool { return order != 0 },
		op.Lt: func(order int) bool { return order < 0 }, op.Le: func(order int) bool { return order <= 0 },
		op.Gt: func(order int) bool { return order > 0 }, op.Ge: func(order int) bool { return order >= 0 },
	}
	for _, k := range integerKinds {
		for range 3000 {
			a, b := sample(r, k), sample(r, k)
			x, y := exact(k, a), exact(k, b)
			for o, f := range operations {
				if y.Sign() == 0 && (o == op.Div || o == op.Rem) {
					continue
				}
				if got, want := eval.For(o, k)(a, b, 0, 0), wrapped(k, f(new(big.Int), x, y)); got != want {
					t.Fatalf("%s.%s(%#x, %#x) = %#x, want %#x", o, k, a, b, got, want)
				}
			}
			for o, f := range compares {
				if got, want := eval.For(o, k)(a, b, 0, 0) == 1, f(x.Cmp(y)); got != want {
					t.Fatalf("%s.%s(%#x, %#x) = %v, want %v", o, k, a, b, got, want)
				}
			}
			n := uint64(r.IntN(k.Bits()))
			left := wrapped(k, new(big.Int).Lsh(x, uint(n)))
			right := wrapped(k, new(big.Int).Rsh(x, uint(n)))
			if got := eval.For(op.Shl, k)(a, n, 0, 0); got != left {
				t.Fatalf("shl.%s(%#x, %d) = %#x, want %#x", k, a, n, got, left)
			}
			if got := eval.For(op.Shr, k)(a, n, 0, 0); got != right {
				t.Fatalf("shr.%s(%#x, %d) = %#x, want %#x", k, a, n, got, right)
			}
		}
	}
}

// TestBitFunctionsBitByBit: the bit functions agree with ones that look at one bit after the other.
func TestBitFunctionsBitByBit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range integerKinds {
		w := uint64(k.Bits())
		for range 2000 {
			a, n := sample(r, k), sample(r, k)
			offset, count := r.Uint64N(w+3), r.Uint64N(w+3)
			bit := func(i uint64) uint64 { return a >> i & 1 }
			var ones, reversed, extracted uint64
			inserted := a
			leading, trailing := w, w
			first, last := k.Mask(), k.Mask()
			negative := k.IsSigned() && bit(w-1) == 1
			for i := range w {
				ones += bit(i)
				reversed |= bit(i) << (w - 1 - i)
				if bit(i) == 1 {
					leading = w - 1 - i
					if trailing == w {
						trailing, first = i, i
					}
				}
				if (bit(i) == 1) != negative {
					last = i
				}
				if i >= offset && i < offset+count {
					extracted |= bit(i) << (i - offset)
					inserted = inserted&^(1<<i) | n>>(i-offset)&1<<i
				}
			}
			if size := min(offset+count, w); k.IsSigned() && size > offset && bit(size-1) == 1 {
				extracted |= k.Mask() << (size - offset) & k.Mask()
				if size-offset == 64 {
					extracted = a
				}
			}
			for _, row := range []struct {
				o    op.Op
				got  uint64
				want uint64
			}{
				{op.CountOneBits, eval.For(op.CountOneBits, k)(a, 0, 0, 0), ones},
				{op.ReverseBits, eval.For(op.ReverseBits, k)(a, 0, 0, 0), reversed},
				{op.CountLeadingZeros, eval.For(op.CountLeadingZeros, k)(a, 0, 0, 0), leading},
				{op.CountTrailingZeros, eval.For(op.CountTrailingZeros, k)(a, 0, 0, 0), trailing},
				{op.FirstTrailingBit, eval.For(op.FirstTrailingBit, k)(a, 0, 0, 0), first},
				{op.FirstLeadingBit, eval.For(op.FirstLeadingBit, k)(a, 0, 0, 0), last},
				{op.ExtractBits, eval.For(op.ExtractBits, k)(a, offset, count, 0), extracted},
				{op.InsertBits, eval.For(op.InsertBits, k)(a, n, offset, count), inserted},
			} {
				if row.got != row.want {
					t.Fatalf("%s.%s(%#x, %#x; %d, %d) = %#x, want %#x", row.o, k, a, n, offset, count, row.got, row.want)
				}
			}
		}
	}
}

func TestAllAndAny(t *testing.T) {
	for _, row := range []struct {
		components []uint64
		all, any   bool
	}{
		{[]uint64{1, 1, 1}, true, true},
		{[]uint64{1, 0}, false, true},
		{[]uint64{0, 0, 0, 0}, false, false},
	} {
		if got := eval.All(row.components); got != row.all {
			t.Errorf("all%v = %v", row.components, got)
		}
		if got := eval.Any(row.components); got != row.any {
			t.Errorf("any%v = %v", row.components, got)
		}
	}
}
