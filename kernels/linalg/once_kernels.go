package linalg

// The kernels that make one number of vectors in one launch. Workgroups publish their states, and
// the one that is last to do so joins them, in the same order as the kernels of two launches.
//
// A word of 64 bits holds 32 bits of a state, and above them the number of the launch's epoch. No
// earlier launch had that number: who finds it has the state's bits, too. So words need no order
// among themselves.

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// epoch says which words are of a launch: those with Number, and tickets from Base on.
type epoch struct{ Number, Base uint32 }

// most is how many words a state has at most.
const most = 6

// What the words of a chain are: a counter of workgroups that have published states, counters of
// those of blocks of rows, and then states.
const (
	blockCounters = 1
	maxBlocks     = 256
	firstState    = blockCounters + maxBlocks
)

// words makes words of 32 bits of states, and states of these.
type words[S any] interface {
	count() int
	word(s S, n int) uint32
	state(w [most]uint32) S
}

// The words of states: of numbers, of three sums of squares, and of keys with an index.
type (
	number32  struct{}
	number64  struct{}
	squares32 struct{}
	squares64 struct{}
	ranked32  struct{}
	ranked64  struct{}
)

func (number32) count() int                   { return 1 }
func (number32) word(s float32, _ int) uint32 { return math.Float32bits(s) }
func (number32) state(w [most]uint32) float32 { return math.Float32frombits(w[0]) }
func (number64) count() int                   { return 2 }
func (number64) word(s float64, n int) uint32 { return half(math.Float64bits(s), n) }
func (number64) state(w [most]uint32) float64 { return math.Float64frombits(wholeWord(w[0], w[1])) }
func (ranked32) count() int                   { return 2 }
func (ranked32) word(s ranked[uint32], n int) uint32 {
	if n == 0 {
		return s.Key
	}
	return uint32(s.Index)
}
func (ranked32) state(w [most]uint32) ranked[uint32] { return ranked[uint32]{w[0], int32(w[1])} }
func (ranked64) count() int                          { return 3 }
func (ranked64) word(s ranked[uint64], n int) uint32 {
	if n < 2 {
		return half(s.Key, n)
	}
	return uint32(s.Index)
}
func (ranked64) state(w [most]uint32) ranked[uint64] {
	return ranked[uint64]{wholeWord(w[0], w[1]), int32(w[2])}
}
func (squares32) count() int { return 3 }
func (squares32) word(s squares[float32], n int) uint32 {
	return math.Float32bits([3]float32{s.Large, s.Middle, s.Small}[n])
}
func (squares32) state(w [most]uint32) squares[float32] {
	return squares[float32]{math.Float32frombits(w[0]), math.Float32frombits(w[1]), math.Float32frombits(w[2])}
}
func (squares64) count() int { return 6 }
func (squares64) word(s squares[float64], n int) uint32 {
	return half(math.Float64bits([3]float64{s.Large, s.Middle, s.Small}[n/2]), n%2)
}
func (squares64) state(w [most]uint32) squares[float64] {
	return squares[float64]{math.Float64frombits(wholeWord(w[0], w[1])), math.Float64frombits(wholeWord(w[2], w[3])), math.Float64frombits(wholeWord(w[4], w[5]))}
}

// half returns the low half of a word for 0, and otherwise the high one.
func half(v uint64, n int) uint32 {
	if n == 0 {
		return uint32(v)
	}
	return uint32(v >> 32)
}

// wholeWord returns the word of two halves.
func wholeWord(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// dotOnce makes the sum of the products x[i]·y[i].
//
//gpuc:kernel workgroup=items types=float32/number32,float64/number64
func dotOnce[T Real, W words[T]](it gpu.Item, shared *[items]T, last *uint32, n int, x []T, px line, y []T, py line, e epoch, status []uint64, to []T) {
	reduceOnce[products[T], W, T, T, T](it, products[T]{}, shared, last, n, x, px, y, py, e, status, to)
}

// asumOnce makes the sum of absolute values.
//
//gpuc:kernel workgroup=items types=float32/number32,float64/number64
func asumOnce[T Real, W words[T]](it gpu.Item, shared *[items]T, last *uint32, n int, x []T, px line, e epoch, status []uint64, to []T) {
	reduceOnce[absolute[T], W, T, T, T](it, absolute[T]{}, shared, last, n, x, px, x, px, e, status, to)
}

// nrm2Once makes the norm.
//
//gpuc:kernel workgroup=items types=float32/squares32,float64/squares64
func nrm2Once[T Real, W words[squares[T]]](it gpu.Item, shared *[items]squares[T], last *uint32, n int, o norm[T], x []T, px line, e epoch, status []uint64, to []T) {
	reduceOnce[norm[T], W, T, squares[T], T](it, o, shared, last, n, x, px, x, px, e, status, to)
}

// iamaxOnce makes the index of the greatest absolute value.
//
//gpuc:kernel workgroup=items types=float32/uint32/magnitude32/ranked32,float64/uint64/magnitude64/ranked64
func iamaxOnce[T Real, K key, M magnitudes[T, K], W words[ranked[K]]](it gpu.Item, shared *[items]ranked[K], last *uint32, n int, x []T, px line, e epoch, status []uint64, to []int32) {
	reduceOnce[highest[T, K, M], W, T, ranked[K], int32](it, highest[T, K, M]{}, shared, last, n, x, px, x, px, e, status, to)
}

// reduceOnce makes the result of all workgroups' elements, as reduce and finish do. The
// workgroup that is last to publish its state does the latter.
func reduceOnce[O reduction[T, S, R], W words[S], T Real, S, R any](it gpu.Item, o O, shared *[items]S, last *uint32, n int, x []T, px line, y []T, py line, e epoch, status []uint64, to []R) {
	var w W
	l, groups := it.LocalIndex(), it.Groups().X
	s := reduced[O, T, S, R](it, o, shared, n, x, px, y, py)
	if l == 0 {
		for k := range w.count() {
			atomic.StoreUint64(&status[firstState+it.Group().X*w.count()+k], wholeWord(w.word(s, k), e.Number))
		}
		*last = uint32(atomic.AddUint64(&status[0], 1)) - e.Base
	}
	if int(gpu.UniformLoad(it, last)) != groups {
		return
	}
	var all S
	for g := l; g < groups; g += items {
		var list [most]uint32
		for k := range w.count() {
			list[k] = await(status, firstState+g*w.count()+k, e.Number)
		}
		all = o.join(all, w.state(list))
	}
	all = joinAll[O, T, S, R](it, o, shared, all)
	if l == 0 {
		to[0] = o.result(all)
	}
}

// sumsAhead is how many sums of columns an item loads at a time.
const sumsAhead = 16

// await returns the part of a word with an epoch, which has been published or is about to be.
func await(status []uint64, at int, number uint32) uint32 {
	v := atomic.LoadUint64(&status[at])
	for uint32(v>>32) != number {
		v = atomic.LoadUint64(&status[at])
	}
	return uint32(v)
}

// arrived is await for a word that has been loaded before.
func arrived(status []uint64, at int, number uint32, found uint64) uint32 {
	if uint32(found>>32) == number {
		return uint32(found)
	}
	return await(status, at, number)
}

// gemvColumnsOnce makes y = alpha·a·x + beta·y as gemvColumns and addParts do. Workgroups with the
// same X have the same rows, and publish the sums of columns. The one that is last to do so adds
// them.
//
//gpuc:kernel workgroup=items resident=4 types=float32/number32,float64/number64
func gemvColumnsOnce[T Real, W words[T]](it gpu.Item, last *uint32, alpha T, a []T, m layout, width int, x []T, px line, beta T, y []T, py line, number uint32, status []uint64) {
	var w W
	i, chunk, rows := it.Global().X, it.Group().Y, int(m.Rows)
	var sum T
	if i < rows {
		j, to := chunk*width, min((chunk+1)*width, int(m.Cols))
		if m.RowStride == 1 {
			sum = columnSum(a, beside{m.Offset}, i, int(m.ColStride), x, px, j, to)
		} else {
			sum = columnSum(a, line{m.Offset, m.RowStride}, i, int(m.ColStride), x, px, j, to)
		}
		for k := range w.count() {
			atomic.StoreUint64(&status[firstState+(chunk*w.count()+k)*rows+i], wholeWord(w.word(sum, k), number))
		}
	}
	it.Barrier()
	if it.LocalIndex() == 0 {
		counter := &status[blockCounters+it.Group().X]
		*last = uint32(atomic.AddUint64(counter, 1))
		if int(*last) == it.Groups().Y {
			atomic.StoreUint64(counter, 0) // for the next launch
		}
	}
	if int(gpu.UniformLoad(it, last)) != it.Groups().Y || i >= rows {
		return
	}
	var all T
	parts := it.Groups().Y
	for first := 0; first < parts; first += sumsAhead {
		var found [sumsAhead][2]uint64
		for e := range sumsAhead { // all loads, before anything waits for one
			for k := range w.count() {
				found[e][k] = atomic.LoadUint64(&status[firstState+(min(first+e, parts-1)*w.count()+k)*rows+i])
			}
		}
		for e := range sumsAhead {
			if first+e >= parts {
				continue
			}
			var list [most]uint32
			for k := range w.count() {
				list[k] = arrived(status, firstState+((first+e)*w.count()+k)*rows+i, number, found[e][k])
			}
			all += w.state(list)
		}
	}
	at := py.at(i)
	y[at] = scaledSum(alpha, all, beta, y, at)
}
