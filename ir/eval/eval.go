// Package eval is the one scalar evaluator of gpuc: what an elementwise operation, a conversion or
// a packing means on the bits of package scalar. The front end's const-expressions, the override
// table, the simplify pass and the interpreter all call it. So a constant that was folded and a
// value that was computed cannot differ.
//
// There are two readings of each operation:
//
//	For, Convert, Dot, Pack, Unpack           total: every input has a result, as the docs of
//	                                          op's table say; what a running shader computes
//	Check, CheckConvert, CheckDot, CheckPack  the same results, and whether WGSL grades them as a
//	                                          shader- or pipeline-creation error (WGSL §8.7, §8.9,
//	                                          §15.7, §17.5)
//
// # Exactness
//
// Integers wrap. f32 and f16 + - × ÷, %, sqrt, fma, floor, ceil, trunc, round, fract, min, max,
// ldexp, frexp, comparisons and conversions are those of IEEE 754. They round once, to nearest
// even, on every host; subnormal numbers are kept. % is the exact fmod, which lies inside the bound
// that WGSL §15.7.4 inherits from x - y·trunc(x/y). Unlike that formula it is right for large
// quotients; the remainder by an infinity is x.
//
// The other functions (sin … pow, inverse_sqrt) are computed in float64 by Go's package math and
// then rounded. So an f32 or f16 result is within one ULP. Some of Go's implementations differ
// between architectures in the last bits of the float64, which changes an f32 result rarely and an
// abstract float's sometimes. Outside its domain a function is NaN; pow of a negative number is NaN
// whatever the exponent, as exp2(y·log2(x)) is.
//
// A NaN result of arithmetic is the kind's positive quiet NaN without payload,
// since hosts disagree on payloads. neg, abs and select move bits and keep
// them. min, max and clamp prefer a number to a NaN and order -0 below +0.
//
// # Kinds
//
// AbstractInt computes as i64 and AbstractFloat as float64. The second operand
// of ldexp is an i32, but an abstract int when the first is an abstract float,
// and frexp_exponent gives the same kinds (WGSL §17.5).
package eval

import (
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Function evaluates an elementwise operation on the stored bits of one
// component of each operand; operands that the operation lacks are ignored.
type Function func(a, b, c, d uint64) uint64

// For returns the total meaning of an elementwise operation whose first value
// operand has kind k. For select that is the kind of the chosen values, and the
// operands are condition, x, y. Comparisons return a bool's bits. It is nil if
// o is not elementwise or not defined on k.
func For(o op.Op, k scalar.Kind) Function {
	all := functions.Load()
	if all == nil {
		all = makeFunctions()
	}
	return all[o][k]
}

// All reports whether every component is true.
func All(components []uint64) bool {
	for _, c := range components {
		if c == 0 {
			return false
		}
	}
	return true
}

// Any reports whether some component is true.
func Any(components []uint64) bool {
	for _, c := range components {
		if c != 0 {
			return true
		}
	}
	return false
}

// Dot returns the dot product of two vectors of kind k: the products, each
// rounded, are added in order, each sum rounded. The vectors have the same,
// non-zero, length.
func Dot(k scalar.Kind, a, b []uint64) uint64 {
	multiply, add := For(op.Mul, k), For(op.Add, k)
	sum := multiply(a[0], b[0], 0, 0)
	for i := 1; i < len(a); i++ {
		sum = add(sum, multiply(a[i], b[i], 0, 0), 0, 0)
	}
	return sum
}

// truth returns the bits of a bool.
func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

func choose(condition, x, y, _ uint64) uint64 {
	if condition != 0 {
		return x
	}
	return y
}
