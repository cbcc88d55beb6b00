package columns

import "unsafe"

// This file holds what is done with columns besides the operations of the table: filling, copying, choosing by a mask, products of twice
// the width; and masks, and places that a column gives.

// The numbers of further primitives. What blends has the mask as its second operand.
const (
	fillWord = uint16(len(portable) + iota)
	fillLong
	copyWord
	copyLong
	blendWord
	blendLong
	blendFillWord
	blendFillLong
	mulWideUnsigned // and with uniform operands, as in the table
	_
	_
	mulWideSigned
	_
	_
	primitiveCount
)

// single are the primitives for single values, and chosen those for columns.
var single, chosen = all()

func all() (single, chosen [primitiveCount]primitive) {
	more := [primitiveCount]primitive{
		fillWord: fill[uint32], fillLong: fill[uint64], copyWord: copyColumn[uint32], copyLong: copyColumn[uint64],
		blendWord: blend[uint32], blendLong: blend[uint64], blendFillWord: blendFill[uint32], blendFillLong: blendFill[uint64],
		mulWideUnsigned: multiplyWide[uint32, uint64], mulWideUnsigned + withUniform: multiplyWideUniform[uint32, uint64], mulWideUnsigned + ofUniform: multiplyWideOf[uint32, uint64],
		mulWideSigned: multiplyWide[int32, int64], mulWideSigned + withUniform: multiplyWideUniform[int32, int64], mulWideSigned + ofUniform: multiplyWideOf[int32, int64],
	}
	single, chosen = more, more
	copy(single[:], portable[:])
	assembled := fast()
	copy(chosen[:], assembled[:])
	return single, chosen
}

type bitPattern interface{ uint32 | uint64 }

func fill[T bitPattern](n int, d, a, _, _ unsafe.Pointer) {
	x := *(*T)(a)
	to := unsafe.Slice((*T)(d), n)
	for i := range to {
		to[i] = x
	}
}

func copyColumn[T bitPattern](n int, d, a, _, _ unsafe.Pointer) {
	copy(unsafe.Slice((*T)(d), n), unsafe.Slice((*T)(a), n))
}

func blend[T bitPattern](n int, d, a, mask, _ unsafe.Pointer) {
	to := unsafe.Slice((*T)(d), n)
	from, masks := unsafe.Slice((*T)(a), n)[:len(to)], unsafe.Slice((*int32)(mask), n)[:len(to)]
	for i := range to {
		m := T(masks[i])
		to[i] ^= (to[i] ^ from[i]) & m
	}
}

func blendFill[T bitPattern](n int, d, a, mask, _ unsafe.Pointer) {
	x := *(*T)(a)
	to := unsafe.Slice((*T)(d), n)
	masks := unsafe.Slice((*int32)(mask), n)[:len(to)]
	for i := range to {
		m := T(masks[i])
		to[i] ^= (to[i] ^ x) & m
	}
}

func multiplyWide[T int32 | uint32, W int64 | uint64](n int, d, a, b, _ unsafe.Pointer) {
	to := unsafe.Slice((*W)(d), n)
	xs, ys := unsafe.Slice((*T)(a), n)[:len(to)], unsafe.Slice((*T)(b), n)[:len(to)]
	for i := range to {
		to[i] = W(xs[i]) * W(ys[i])
	}
}

func multiplyWideUniform[T int32 | uint32, W int64 | uint64](n int, d, a, b, _ unsafe.Pointer) {
	y := W(*(*T)(b))
	to := unsafe.Slice((*W)(d), n)
	xs := unsafe.Slice((*T)(a), n)[:len(to)]
	for i := range to {
		to[i] = W(xs[i]) * y
	}
}

func multiplyWideOf[T int32 | uint32, W int64 | uint64](n int, d, a, b, _ unsafe.Pointer) {
	multiplyWideUniform[T, W](n, d, b, a, nil)
}

// operations are those on masks and places.
type operations struct {
	// bits makes a mask of a column, a bit of each lane.
	bits func(to []uint64, column unsafe.Pointer, lanes int)
	// expand makes a column of a mask.
	expand func(to unsafe.Pointer, mask []uint64, lanes int)
	// follows reports whether words grow by a step from lane to lane.
	follows func(lanes int, column unsafe.Pointer, step uint32) bool
	// gather reads words in a window, and zeros outside.
	gather func(lanes int, to, column unsafe.Pointer, w *window)
}

// machine are the operations that are chosen for this processor.
var machine = operations{bitsOf, expand, follows, gather}

func bitsOf(to []uint64, column unsafe.Pointer, lanes int) {
	words := unsafe.Slice((*uint32)(column), lanes)
	for n := range to {
		var mask uint64
		for k, word := range words[64*n : min(64*n+64, lanes)] {
			mask |= uint64(word&1) << k
		}
		to[n] = mask
	}
}

func expand(to unsafe.Pointer, mask []uint64, lanes int) {
	words := unsafe.Slice((*uint32)(to), lanes)
	for n := range words {
		words[n] = -uint32(mask[n/64] >> (n % 64) & 1)
	}
}

func follows(lanes int, column unsafe.Pointer, step uint32) bool {
	words := unsafe.Slice((*uint32)(column), lanes)
	next := words[0]
	for _, word := range words {
		if word != next {
			return false
		}
		next += step
	}
	return true
}

func gather(lanes int, to, column unsafe.Pointer, w *window) {
	words := unsafe.Slice((*uint32)(to), lanes)
	for n, at := range unsafe.Slice((*uint32)(column), lanes)[:len(words)] {
		var word uint32
		if at += w.add; at <= w.last {
			word = *(*uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale)))
		}
		words[n] = word
	}
}
