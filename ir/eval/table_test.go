package eval_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// value returns the storage of a number, rounded if the kind does not hold it.
func value(k scalar.Kind, x float64) uint64 {
	switch {
	case k.IsFloat():
		return scalar.FromFloat64(k, x)
	case k == scalar.U64 && x >= 1<<63:
		return uint64(x)
	}
	return scalar.FromInt64(k, int64(x))
}

// TestEveryElementwiseOperationIsImplemented: every operation of the table that acts on components
// by itself, and select, is defined on exactly the kinds of its signature.
func TestEveryElementwiseOperationIsImplemented(t *testing.T) {
	for o := op.Invalid; o < op.Count; o++ {
		s := op.SignatureOf(o)
		class := s.Class
		switch {
		case o == op.Select:
			class = op.ScalarClass
		case !o.Pure() || !s.Elementwise():
			class = op.NoClass
		}
		for k := scalar.None; k < scalar.Count; k++ {
			// which are moved, and not computed with
			want := class.Contains(k) && !k.IsTileFloat() || o == op.Select && k.IsNarrow()
			if have := eval.For(o, k) != nil; have != want {
				t.Errorf("%s on %s: implemented is %v, the signature %q says %v", o, k, have, o.Info().Signature, want)
			}
		}
	}
}

func TestEveryPackingIsImplemented(t *testing.T) {
	for o := op.Pack4x8Snorm; o <= op.Pack2x16Float; o++ {
		eval.Pack(o, make([]uint64, op.SignatureOf(o).Operands[0].Shape))
	}
	for o := op.Unpack4x8Snorm; o <= op.Unpack2x16Float; o++ {
		eval.Unpack(o, 0, make([]uint64, op.SignatureOf(o).Result.Shape))
	}
}

func TestEveryConversionIsImplemented(t *testing.T) {
	for to := scalar.None; to < scalar.Count; to++ {
		for from := scalar.None; from < scalar.Count; from++ {
			narrowed := to.IsNarrow() && from.IsFloat() || to.IsFloat() && from.IsNarrow()
			want := to != scalar.None && from != scalar.None && !narrowed && !to.IsTileFloat() && !from.IsTileFloat()
			if have := eval.Convert(to, from) != nil; have != want {
				t.Errorf("%s from %s: implemented is %v", to, from, have)
			}
		}
	}
}

// TestResultsAreCanonical: results use the storage of their kind, so no bit beyond its width is
// ever set.
func TestResultsAreCanonical(t *testing.T) {
	patterns := []uint64{0, 1, 0x7FFF, 0x8000, 0xFC00, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFF800000, 0xFFFFFFFF, 1 << 63, 1<<64 - 1}
	for o := op.Invalid; o < op.Count; o++ {
		for k := scalar.Bool; k < scalar.Count; k++ {
			f := eval.For(o, k)
			if f == nil {
				continue
			}
			result := op.SignatureOf(o).Result.Kind
			if result == scalar.None {
				result = k
			} else if k == scalar.AbstractFloat && result == scalar.I32 {
				result = scalar.AbstractInt
			}
			for _, a := range patterns {
				for _, b := range patterns {
					for _, c := range []uint64{0, 3, 31, 0xFFFFFFFF} {
						a, b, c := a&k.Mask(), b&k.Mask(), c&k.Mask()
						if r := f(a, b, c, c); r&^result.Mask() != 0 {
							t.Fatalf("%s.%s(%#x, %#x, %#x) = %#x has bits beyond %s", o, k, a, b, c, r, result)
						}
					}
				}
			}
		}
	}
}

// TestCommutativeOperationsCommute: the table says which operations are commutative; the evaluator
// agrees, for zeros of both signs and NaN too.
func TestCommutativeOperationsCommute(t *testing.T) {
	floats := map[scalar.Kind][]uint64{
		scalar.F32:           {0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 1},
		scalar.F16:           {0, 0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 1},
		scalar.F64:           {0, 1 << 63, 0x3FF0 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0xFFF8<<48 + 1, 1},
		scalar.AbstractFloat: {0, 1 << 63, 0x3FF0 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0xFFF8<<48 + 1, 1},
		scalar.I32:           {0, 1, 0x80000000, 0xFFFFFFFF},
		scalar.U32:           {0, 1, 0x80000000, 0xFFFFFFFF},
		scalar.Bool:          {0, 1},
	}
	for o := op.Invalid; o < op.Count; o++ {
		if !o.Info().Commutative {
			continue
		}
		for k, values := range floats {
			f := eval.For(o, k)
			if f == nil {
				continue
			}
			for _, a := range values {
				for _, b := range values {
					if x, y := f(a, b, 0, 0), f(b, a, 0, 0); x != y {
						t.Errorf("%s.%s(%#x, %#x) = %#x, exchanged %#x", o, k, a, b, x, y)
					}
				}
			}
		}
	}
}

func TestFunctionsDoNotAllocate(t *testing.T) {
	f, g := eval.For(op.Fma, scalar.F16), eval.For(op.Pow, scalar.F32)
	a, b := make([]uint64, 4), make([]uint64, 4)
	if n := testing.AllocsPerRun(10, func() {
		a[0] = f(a[0], 1, 2, 3) + g(a[1], 1, 2, 3) + eval.Dot(scalar.F32, a, b)
		a[0] = eval.Pack(op.Pack4x8Snorm, a)
		eval.Unpack(op.Unpack4x8Unorm, a[0], b)
		eval.Check(op.Add, scalar.I32, a[0], b[0], 0, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
