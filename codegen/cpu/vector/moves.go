package vector

import (
	"sync"
	"unsafe"
)

// This file holds what is done with columns besides the operations of the table: filling, copying,
// choosing by a mask, products of twice the width; and masks, and places that a column gives.

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

// processor is what programs call: the primitives for single values, which are those in Go that run
// everywhere, those for columns, and operations on masks and places.
type processor struct {
	single, columns [primitiveCount]primitive
	operations
	filters
	writers
}

// processors are that in Go alone, and that with what the machine has. They are made when the first
// kernel is compiled, for programs that start do not all run kernels here.
var processors struct {
	once           sync.Once
	inGo, assembly processor
	plain          bool // for tests: take what is in Go
}

// thisProcessor returns the one to use.
func thisProcessor() *processor {
	processors.once.Do(func() {
		processors.inGo = processor{single: all(), columns: all(), operations: operations{bitsOf, expand, follows, gather, scatter, scatterRow, gatherRow}, filters: filtersInGo, writers: writersInGo}
		processors.assembly = processors.inGo
		choose(&processors.assembly)
	})
	if processors.plain {
		return &processors.inGo
	}
	return &processors.assembly
}

func all() (list [primitiveCount]primitive) {
	copy(list[:], portable[:])
	list[fillWord], list[fillLong], list[copyWord], list[copyLong] = fill[uint32], fill[uint64], copyColumn[uint32], copyColumn[uint64]
	list[blendWord], list[blendLong], list[blendFillWord], list[blendFillLong] = blend[uint32], blend[uint64], blendFill[uint32], blendFill[uint64]
	for n, p := range [...]primitive{multiplyWide[uint32, uint64], multiplyWideUniform[uint32, uint64], multiplyWideOf[uint32, uint64]} {
		list[mulWideUnsigned+uint16(n)] = p
	}
	for n, p := range [...]primitive{multiplyWide[int32, int64], multiplyWideUniform[int32, int64], multiplyWideOf[int32, int64]} {
		list[mulWideSigned+uint16(n)] = p
	}
	return list
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
	// scatter writes words in a window, in the lanes of a mask that is a column; who comes last
	// wins.
	scatter func(lanes int, from, column, mask unsafe.Pointer, w *window)
	// scatterRow is scatter for four words that follow each other, one of each of the columns. It
	// reports false if a lane of the mask looks outside, and what it has written then is right.
	scatterRow func(lanes int, from *[rowWords]unsafe.Pointer, column, mask unsafe.Pointer, w *window) bool
	// gatherRow reads four words that follow each other, one to each of the columns that are not
	// nil. It reports false if a lane looks outside, and may have written some then.
	gatherRow func(lanes int, to *[rowWords]unsafe.Pointer, column unsafe.Pointer, w *window) bool
}

func bitsOf(to []uint64, column unsafe.Pointer, lanes int) {
	words := unsafe.Slice((*uint32)(column), lanes)
	clear(to)
	for n, word := range words {
		to[n/64] |= uint64(word&1) << (n % 64)
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
		if at = min(at, w.bound) + w.add; at <= w.last {
			word = *(*uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale)))
		}
		words[n] = word
	}
}

func scatter(lanes int, from, column, mask unsafe.Pointer, w *window) {
	words, masks := unsafe.Slice((*uint32)(from), lanes), unsafe.Slice((*uint32)(mask), lanes)
	for n, at := range unsafe.Slice((*uint32)(column), lanes) {
		if at = min(at, w.bound) + w.add; at <= w.last && masks[n] != 0 {
			*(*uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale))) = words[n]
		}
	}
}
