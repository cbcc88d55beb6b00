package vector

import (
	"sync"
	"unsafe"
)

// This file holds what is done with columns besides the operations of the table: filling, copying,
// choosing by a mask, and products of twice the width. It also has the operations on masks, gathers
// and scatters.

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

// primitives returns the primitives by their numbers. They are put together when the first kernel
// is compiled, for programs that start do not all run kernels here.
func primitives() *[primitiveCount]primitive {
	list := &made.list
	made.once.Do(func() { makePrimitives(list) })
	return list
}

var made struct {
	once sync.Once
	list [primitiveCount]primitive
}

func makePrimitives(list *[primitiveCount]primitive) {
	copy(list[:], portable[:])
	list[fillWord], list[fillLong], list[copyWord], list[copyLong] = fill[uint32], fill[uint64], copyColumn[uint32], copyColumn[uint64]
	list[blendWord], list[blendLong], list[blendFillWord], list[blendFillLong] = blend[uint32], blend[uint64], blendFill[uint32], blendFill[uint64]
	for n, p := range [...]primitive{multiplyWide[uint32, uint64], multiplyWideUniform[uint32, uint64], multiplyWideOf[uint32, uint64]} {
		list[mulWideUnsigned+uint16(n)] = p
	}
	for n, p := range [...]primitive{multiplyWide[int32, int64], multiplyWideUniform[int32, int64], multiplyWideOf[int32, int64]} {
		list[mulWideSigned+uint16(n)] = p
	}
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

// bitsOf makes a mask of a column, a bit of each lane.
func bitsOf(to []uint64, column unsafe.Pointer, lanes int) {
	words := unsafe.Slice((*uint32)(column), lanes)
	clear(to)
	for n, word := range words {
		to[n/64] |= uint64(word&1) << (n % 64)
	}
}

// expand makes a column of a mask.
func expand(to unsafe.Pointer, mask []uint64, lanes int) {
	words := unsafe.Slice((*uint32)(to), lanes)
	for n := range words {
		words[n] = -uint32(mask[n/64] >> (n % 64) & 1)
	}
}

// follows reports whether words grow by a step from lane to lane.
func isConsecutive(lanes int, column unsafe.Pointer, step uint32) bool {
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

// gather reads words in a window, and zeros outside.
// The race detector does not see it: the checked device reports the races of kernels.
//
//go:norace
func gather(lanes int, to, column unsafe.Pointer, w *window) {
	words := unsafe.Slice((*uint32)(to), lanes)
	for n, at := range unsafe.Slice((*uint32)(column), lanes)[:len(words)] {
		var word uint32
		if at = min(at, w.bound) + w.add; at <= w.last {
			word = *(*uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale)))
		}
		words[n] = word
	}
}

// scatter writes words in a window, in the lanes of a mask that is a column. The last lane wins.
// The race detector does not see it, as in gather.
//
//go:norace
func scatter(lanes int, from, column, mask unsafe.Pointer, w *window) {
	words, masks := unsafe.Slice((*uint32)(from), lanes), unsafe.Slice((*uint32)(mask), lanes)
	for n, at := range unsafe.Slice((*uint32)(column), lanes) {
		if at = min(at, w.bound) + w.add; at <= w.last && masks[n] != 0 {
			*(*uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale))) = words[n]
		}
	}
}
