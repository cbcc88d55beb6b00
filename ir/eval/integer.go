package eval

import "math/bits"

// The integer operations. Storage is zero-extended (package scalar). So each function narrows to
// the width it names, computes as Go does, and widens through the unsigned type. Go wraps, and
// defines lowest / -1 as lowest and lowest % -1 as 0. U is the width; S is U or its signed
// counterpart and decides what the bits mean.

type word interface{ uint32 | uint64 }

type integer interface {
	int32 | uint32 | int64 | uint64
}

// width returns the bits of U; it compiles to a constant.
func width[U word]() uint64 { return uint64(bits.Len64(uint64(^U(0)))) }

func same(a, _, _, _ uint64) uint64 { return a }

func negate[U word](a, _, _, _ uint64) uint64   { return uint64(-U(a)) }
func add[U word](a, b, _, _ uint64) uint64      { return uint64(U(a) + U(b)) }
func subtract[U word](a, b, _, _ uint64) uint64 { return uint64(U(a) - U(b)) }
func multiply[U word](a, b, _, _ uint64) uint64 { return uint64(U(a) * U(b)) }

func multiplyHigh[U word](a, b, _, _ uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if width[U]() == 32 {
		return low >> 32
	}
	return high
}

func divide[S integer, U word](a, b, _, _ uint64) uint64 {
	if S(b) == 0 {
		return a
	}
	return uint64(U(S(a) / S(b)))
}

func remainder[S integer, U word](a, b, _, _ uint64) uint64 {
	if S(b) == 0 {
		return 0
	}
	return uint64(U(S(a) % S(b)))
}

func absolute[S integer, U word](a, _, _, _ uint64) uint64 {
	if S(a) < 0 {
		return uint64(-U(a))
	}
	return a
}

func sign[S integer, U word](a, _, _, _ uint64) uint64 {
	switch x := S(a); {
	case x < 0:
		return uint64(^U(0))
	case x > 0:
		return 1
	}
	return 0
}

func minimum[S integer](a, b, _, _ uint64) uint64 {
	if S(b) < S(a) {
		return b
	}
	return a
}

func maximum[S integer](a, b, _, _ uint64) uint64 {
	if S(a) < S(b) {
		return b
	}
	return a
}

func clamp[S integer](a, low, high, _ uint64) uint64 {
	return minimum[S](maximum[S](a, low, 0, 0), high, 0, 0)
}

func not[U word](a, _, _, _ uint64) uint64 { return uint64(^U(a)) }
func notBool(a, _, _, _ uint64) uint64     { return a ^ 1 }
func and(a, b, _, _ uint64) uint64         { return a & b }
func or(a, b, _, _ uint64) uint64          { return a | b }
func xor(a, b, _, _ uint64) uint64         { return a ^ b }

func shiftLeft[U word](a, n, _, _ uint64) uint64 {
	return uint64(U(a) << (n & (width[U]() - 1)))
}

func shiftRight[S integer, U word](a, n, _, _ uint64) uint64 {
	return uint64(U(S(a) >> (n & (width[U]() - 1))))
}

func countOneBits(a, _, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }

func countLeadingZeros[U word](a, _, _, _ uint64) uint64 {
	return width[U]() - uint64(bits.Len64(a))
}

func countTrailingZeros[U word](a, _, _, _ uint64) uint64 {
	return min(uint64(bits.TrailingZeros64(a)), width[U]())
}

func firstLeadingBit[S integer, U word](a, _, _, _ uint64) uint64 {
	if S(a) < 0 {
		a = uint64(^U(a))
	}
	return uint64(U(bits.Len64(a) - 1)) // of no bits: -1
}

func firstTrailingBit[U word](a, _, _, _ uint64) uint64 {
	if a == 0 {
		return uint64(^U(0))
	}
	return uint64(bits.TrailingZeros64(a))
}

func reverseBits[U word](a, _, _, _ uint64) uint64 {
	return bits.Reverse64(a) >> (64 - width[U]())
}

// field clamps the offset and count of a bit field to the width (WGSL §17.5,
// extractBits): o = min(offset, w), c = min(count, w - o).
func field[U word](offset, count uint64) (o, c uint64) {
	o = min(offset, width[U]())
	return o, min(count, width[U]()-o)
}

// extractBits moves the field to the top and back, so that the second shift
// extends the sign when S is signed.
func extractBits[S integer, U word](a, offset, count, _ uint64) uint64 {
	o, c := field[U](offset, count)
	if c == 0 {
		return 0
	}
	w := width[U]()
	return uint64(U(S(U(a)<<(w-o-c)) >> (w - c)))
}

func insertBits[U word](a, inserted, offset, count uint64) uint64 {
	o, c := field[U](offset, count)
	if c == 0 {
		return a
	}
	mask := ^U(0) >> (width[U]() - c) << o
	return uint64(U(a)&^mask | U(inserted)<<o&mask)
}

func equal(a, b, _, _ uint64) uint64   { return truth(a == b) }
func unequal(a, b, _, _ uint64) uint64 { return truth(a != b) }

func less[S integer](a, b, _, _ uint64) uint64         { return truth(S(a) < S(b)) }
func lessEqual[S integer](a, b, _, _ uint64) uint64    { return truth(S(a) <= S(b)) }
func greater[S integer](a, b, _, _ uint64) uint64      { return truth(S(a) > S(b)) }
func greaterEqual[S integer](a, b, _, _ uint64) uint64 { return truth(S(a) >= S(b)) }
