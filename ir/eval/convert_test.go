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

const (
	highest64   = math.MaxInt64
	maxUnsigned = math.MaxUint32
)

func TestConversionFacts(t *testing.T) {
	single := func(x float64) uint64 { return value(scalar.F32, x) }
	double := math.Float64bits
	signed := func(x int64) uint64 { return scalar.FromInt64(scalar.I32, x) }
	for _, row := range []struct {
		to, from scalar.Kind
		in, want uint64
	}{
		{scalar.Bool, scalar.I32, signed(-1), 1},
		{scalar.Bool, scalar.U64, 1 << 63, 1},
		{scalar.Bool, scalar.F32, single(negZero), 0},
		{scalar.Bool, scalar.F32, 0x7FC00000, 1},
		{scalar.I32, scalar.Bool, 1, 1},
		{scalar.F32, scalar.Bool, 1, single(1)},
		{scalar.F16, scalar.Bool, 1, 0x3C00},
		{scalar.U32, scalar.I32, signed(-1), maxUnsigned},
		{scalar.I64, scalar.I32, signed(-1), math.MaxUint64},
		{scalar.U64, scalar.U32, maxUnsigned, maxUnsigned},
		{scalar.I32, scalar.I64, 1<<40 + 5, 5},
		// floats to integers (the examples of WGSL §15.7.6 first)
		{scalar.U32, scalar.F32, single(3.9), 3},
		{scalar.U32, scalar.F32, single(-1), 0},
		{scalar.U32, scalar.F32, single(1e20), 4294967040},
		{scalar.I32, scalar.F32, single(-3.9), signed(-3)},
		{scalar.I32, scalar.F32, single(1e20), 2147483520},
		{scalar.I32, scalar.F32, single(-1e20), 0x80000000},
		{scalar.I32, scalar.F32, single(2147483520), 2147483520},
		{scalar.I32, scalar.F32, single(-2147483648), 0x80000000},
		{scalar.I32, scalar.F32, single(infinity), 2147483520},
		{scalar.I32, scalar.F32, 0x7FC00000, 0},
		{scalar.I32, scalar.AbstractFloat, double(1e20), highest32},
		{scalar.I32, scalar.AbstractFloat, double(2147483647.9), highest32},
		{scalar.U32, scalar.AbstractFloat, double(1e20), maxUnsigned},
		{scalar.I32, scalar.F16, 0x7C00, 65504},
		{scalar.I32, scalar.F16, 0xFC00, signed(-65504)},
		{scalar.U32, scalar.F16, 0xFC00, 0},
		{scalar.I64, scalar.F32, single(1e20), 0x7FFFFF8000000000},
		{scalar.I64, scalar.F32, single(-1e20), 1 << 63},
		{scalar.U64, scalar.F32, single(1e20), 0xFFFFFF0000000000},
		{scalar.U64, scalar.F32, single(0x1p63), 1 << 63},
		{scalar.I64, scalar.AbstractFloat, double(1e20), 0x7FFFFFFFFFFFFC00},
		{scalar.AbstractInt, scalar.AbstractFloat, double(-2.5), ^uint64(1)},
		{scalar.U64, scalar.AbstractFloat, double(1e20), 0xFFFFFFFFFFFFF800},
		// integers to floats, ties to even
		{scalar.F32, scalar.I32, 16777217, single(16777216)},
		{scalar.F32, scalar.I32, 16777219, single(16777220)},
		{scalar.F32, scalar.U32, maxUnsigned, single(0x1p32)},
		// twice rounded it would be 2^53
		{scalar.F32, scalar.I64, 1<<53 + 1<<29 + 1, single(0x1p53 + 0x1p30)},
		{scalar.F32, scalar.U64, math.MaxUint64, single(0x1p64)},
		{scalar.F16, scalar.I32, signed(-2049), value(scalar.F16, -2048)},
		{scalar.F16, scalar.U32, 65519, 0x7BFF},
		{scalar.F16, scalar.U32, 65520, 0x7C00},
		{scalar.AbstractFloat, scalar.AbstractInt, 1<<53 + 1, double(0x1p53)},
		// floats to floats
		{scalar.F32, scalar.AbstractFloat, double(0x1.000001p0), single(1)},
		{scalar.F32, scalar.AbstractFloat, double(0x1.0000010000001p0), single(0x1.000002p0)},
		{scalar.F32, scalar.AbstractFloat, double(1e300), single(infinity)},
		{scalar.F32, scalar.AbstractFloat, double(0x1p-149), 1},
		{scalar.F16, scalar.F32, single(0x1.002p0), 0x3C00},
		{scalar.F32, scalar.F32, 0xFFC12345, 0xFFC12345}, // no change, not even of a NaN
	} {
		if got := eval.Convert(row.to, row.from)(row.in); got != row.want {
			t.Errorf("%s(%s %#x) = %#x, want %#x", row.to, row.from, row.in, got, row.want)
		}
	}
}

// TestIntegersToFloatsAreCorrectlyRounded: integers become floats by one rounding.
func TestIntegersToFloatsAreCorrectlyRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, from := range integerKinds {
		for _, to := range floatKinds {
			for range 1000 {
				a := sample(r, from)
				want := rounded(to, new(big.Rat).SetInt(exact(from, a)))
				if got := scalar.ToFloat64(to, eval.Convert(to, from)(a)); got != want {
					t.Fatalf("%s(%s %#x) = %x, want %x", to, from, a, got, want)
				}
			}
		}
	}
}

// TestFloatsToIntegersTruncateAndSaturate: a float becomes its truncation, or the nearest integer
// of both kinds.
func TestFloatsToIntegersTruncateAndSaturate(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, from := range floatKinds {
		for _, to := range integerKinds {
			low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to.Bits()))
			if to.IsSigned() {
				high.Rsh(high, 1)
				low.Neg(high)
			}
			for range 1000 {
				a := randomFloat(r, from, math.Ldexp(1, r.IntN(66)))
				if x := scalar.ToFloat64(from, a); x-x == 0 {
					want, _ := new(big.Float).SetFloat64(x).Int(nil)
					got := eval.Convert(to, from)(a)
					switch {
					case want.Cmp(low) < 0:
						want.Set(low)
					case want.Cmp(high) >= 0: // the float below the limit, which is a power of two
						limit, _ := new(big.Float).SetInt(high).Float64()
						below := math.Nextafter(limit, 0)
						if from == scalar.F32 {
							below = float64(math.Nextafter32(float32(limit), 0))
						}
						want, _ = new(big.Float).SetFloat64(math.Floor(below)).Int(nil)
					}
					if got != wrapped(to, want) {
						t.Fatalf("%s(%s %v) = %#x, want %v", to, from, x, got, want)
					}
				}
			}
		}
	}
}

func TestPacking(t *testing.T) {
	for _, row := range []struct {
		o    op.Op
		in   []float64
		want uint64
	}{
		{op.Pack4x8Snorm, []float64{1, -1, 0, 0.5}, 0x4000817F}, // ⌊64⌋
		{op.Pack4x8Snorm, []float64{2, -infinity, -0.5, notANum}, 0x81C1817F},
		{op.Pack4x8Unorm, []float64{1, 0, 0.5, -3}, 0x008000FF},
		{op.Pack4x8Unorm, []float64{notANum, infinity, 1.0 / 255, 0x1p-149}, 0x0001FF00},
		{op.Pack4xI8, []float64{-1, 127, 300, -300}, 0xD42C7FFF},
		{op.Pack4xU8, []float64{1, 255, 256, 511}, 0xFF00FF01},
		{op.Pack4xI8Clamp, []float64{-1, 127, 300, -300}, 0x807F7FFF},
		{op.Pack4xU8Clamp, []float64{1, 255, 256, 4294967295}, 0xFFFFFF01},
		{op.Pack2x16Snorm, []float64{1, -1}, 0x80017FFF},
		{op.Pack2x16Unorm, []float64{1, 0.5}, 0x8000FFFF},
		{op.Pack2x16Float, []float64{1, -2}, 0xC0003C00},
		{op.Pack2x16Float, []float64{0x1.002p0, infinity}, 0x7C003C00},
	} {
		components := make([]uint64, len(row.in))
		for i, x := range row.in {
			components[i] = value(op.SignatureOf(row.o).Operands[0].Kind, x)
		}
		if got := eval.Pack(row.o, components); got != row.want {
			t.Errorf("%s(%v) = %#x, want %#x", row.o, row.in, got, row.want)
		}
	}
}

func TestUnpacking(t *testing.T) {
	for _, row := range []struct {
		o    op.Op
		in   uint64
		want []float64
	}{
		{op.Unpack4x8Snorm, 0x0180817F, []float64{1, -1, -1, 1.0 / 127}},
		{op.Unpack4x8Unorm, 0x010080FF, []float64{1, 128.0 / 255, 0, 1.0 / 255}},
		{op.Unpack4xI8, 0x01807FFF, []float64{-1, 127, -128, 1}},
		{op.Unpack4xU8, 0x01807FFF, []float64{255, 127, 128, 1}},
		{op.Unpack2x16Snorm, 0x80007FFF, []float64{1, -1}},
		{op.Unpack2x16Unorm, 0x0001FFFF, []float64{1, 1.0 / 65535}},
		{op.Unpack2x16Float, 0x0001C000, []float64{-2, 0x1p-24}},
	} {
		got := make([]uint64, len(row.want))
		eval.Unpack(row.o, row.in, got)
		for i, x := range row.want {
			if want := value(op.SignatureOf(row.o).Result.Kind, x); got[i] != want {
				t.Errorf("%s(%#x)[%d] = %#x, want %v", row.o, row.in, i, got[i], x)
			}
		}
	}
}

// TestUnpackedValuesPackAgain: whatever was unpacked packs again, since the pairs are each other's
// inverse.
func TestUnpackedValuesPackAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for pack, unpack := range map[op.Op]op.Op{
		op.Pack4x8Unorm: op.Unpack4x8Unorm, op.Pack2x16Unorm: op.Unpack2x16Unorm,
		op.Pack4xI8: op.Unpack4xI8, op.Pack4xU8: op.Unpack4xU8,
		op.Pack4xI8Clamp: op.Unpack4xI8, op.Pack4xU8Clamp: op.Unpack4xU8,
	} {
		components := make([]uint64, op.SignatureOf(unpack).Result.Shape)
		for range 2000 {
			packed := uint64(r.Uint32())
			eval.Unpack(unpack, packed, components)
			if got := eval.Pack(pack, components); got != packed {
				t.Fatalf("%s(%s(%#x)) = %#x", pack, unpack, packed, got)
			}
		}
	}
}

func TestPackedDotProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	a, b := make([]uint64, 4), make([]uint64, 4)
	for range 2000 {
		x, y := uint64(r.Uint32()), uint64(r.Uint32())
		eval.Unpack(op.Unpack4xI8, x, a)
		eval.Unpack(op.Unpack4xI8, y, b)
		if got, want := eval.Dot4I8(x, y), eval.Dot(scalar.I32, a, b); got != want {
			t.Fatalf("dot4_i8(%#x, %#x) = %#x, want %#x", x, y, got, want)
		}
		eval.Unpack(op.Unpack4xU8, x, a)
		eval.Unpack(op.Unpack4xU8, y, b)
		if got, want := eval.Dot4U8(x, y), eval.Dot(scalar.U32, a, b); got != want {
			t.Fatalf("dot4_u8(%#x, %#x) = %#x, want %#x", x, y, got, want)
		}
	}
	if got := eval.Dot4I8(0x80808080, 0x80808080); got != 65536 {
		t.Errorf("the greatest dot4_i8 is %d", got)
	}
}
