package pairs

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	items = 256 // of a workgroup
	each  = 4   // elements of an item at a time
	block = items * each
)

// axpy makes y = alpha·x + y, of n elements.
//
//gpuc:kernel workgroup=items types=float32,float64
func axpy[T float](it gpu.Item, alpha [2]T, n int, px, py Line, x, y [][2]T) {
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		var a, b [each][2]T
		for e := range each {
			i := min(first+e*items+it.LocalIndex(), n-1)
			a[e], b[e] = x[px.at(i)], y[py.at(i)]
		}
		for e := range each {
			if i := first + e*items + it.LocalIndex(); i < n {
				y[py.at(i)] = plus(times(alpha, a[e]), b[e])
			}
		}
	}
}

// scale makes x = alpha·x, of n elements. Zero makes zeros, also of what is not finite. If alpha
// has no imaginary part, both parts of elements are multiplied by its real part.
//
//gpuc:kernel workgroup=items types=float32,float64
func scale[T float](it gpu.Item, alpha [2]T, n, realOnly int, px Line, x [][2]T) {
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		for e := range each {
			i := first + e*items + it.LocalIndex()
			if i >= n {
				continue
			}
			var v [2]T
			if !isZero(alpha) {
				v = x[px.at(i)]
				if realOnly != 0 {
					v = [2]T{alpha[0] * v[0], alpha[0] * v[1]}
				} else {
					v = times(alpha, v)
				}
			}
			x[px.at(i)] = v
		}
	}
}

// copied makes y = x, of n elements.
//
//gpuc:kernel workgroup=items types=float32,float64
func copied[T float](it gpu.Item, n int, px, py Line, x, y [][2]T) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		y[py.at(i)] = x[px.at(i)]
	}
}

// swapped exchanges n elements of x and y.
//
//gpuc:kernel workgroup=items types=float32,float64
func swapped[T float](it gpu.Item, n int, px, py Line, x, y [][2]T) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		x[px.at(i)], y[py.at(i)] = y[py.at(i)], x[px.at(i)]
	}
}

// dot writes a sum of products x[i]·y[i] for each workgroup, with the conjugates of x if conj is
// not zero. Item l of workgroup g adds elements g·block + l + e·items, and goes on with the block
// that is as many blocks further as there are workgroups. Then sums at distances of 128, 64 … are
// added.
//
//gpuc:kernel workgroup=items types=float32,float64
func dot[T float](it gpu.Item, shared *[items][2]T, n, conj int, px, py Line, x, y, sums [][2]T) {
	var sum [2]T
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		for e := range each {
			if i := first + e*items + it.LocalIndex(); i < n {
				sum = plus(sum, times(conjugated(x[px.at(i)], conj), y[py.at(i)]))
			}
		}
	}
	sum = sumOf(it, shared, sum)
	if it.LocalIndex() == 0 {
		sums[it.Group().X] = sum
	}
}

// sumOfSums adds n sums.
//
//gpuc:kernel workgroup=items types=float32,float64
func sumOfSums[T float](it gpu.Item, shared *[items][2]T, n int, sums, to [][2]T) {
	var sum [2]T
	for i := it.LocalIndex(); i < n; i += items {
		sum = plus(sum, sums[i])
	}
	sum = sumOf(it, shared, sum)
	if it.LocalIndex() == 0 {
		to[0] = sum
	}
}

// sumOf returns the sum of the items' numbers. Item 0 has it.
func sumOf[T float](it gpu.Item, shared *[items][2]T, sum [2]T) [2]T {
	l := it.LocalIndex()
	shared[l] = sum
	for step := items / 2; step > 0; step /= 2 {
		it.Barrier()
		if l < step {
			sum = plus(sum, shared[l+step])
			shared[l] = sum
		}
	}
	return sum
}

// parts makes 2·n floats of n numbers at equal distances: the parts of each.
//
//gpuc:kernel workgroup=items types=float32,float64
func parts[T float](it gpu.Item, n int, px Line, x [][2]T, to []T) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		v := x[px.at(i)]
		to[2*i], to[2*i+1] = v[0], v[1]
	}
}

// sizes makes |re| + |im| of n numbers at equal distances.
//
//gpuc:kernel workgroup=items types=float32,float64
func sizes[T float](it gpu.Item, n int, px Line, x [][2]T, to []T) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		v := x[px.at(i)]
		to[i] = size(v[0]) + size(v[1])
	}
}
