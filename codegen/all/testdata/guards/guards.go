// Package guards has kernels of several slices with the guards that people write (TestGuardsOfGo).
package guards

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func And2(it gpu.Item, a, b []uint32) {
	i := it.Index()
	if i < len(a) && i < len(b) {
		a[i] += b[i]
	}
}

//gpuc:kernel workgroup=64
func And5(it gpu.Item, a, b, c, d, e []uint32) {
	i := it.Index()
	if i < len(a) && i < len(b) && i < len(c) && i < len(d) && i < len(e) {
		a[i] += b[i] + c[i] + d[i] + e[i]
	}
}

//gpuc:kernel workgroup=64
func Returns3(it gpu.Item, a, b, c []uint32) {
	i := it.Index()
	if i >= len(a) {
		return
	}
	if i >= len(b) || len(c) <= i {
		return
	}
	a[i] += b[i] + c[i]
}

//gpuc:kernel workgroup=64
func Least4(it gpu.Item, a, b, c, d []uint32) {
	n := min(len(a), len(b), len(c), len(d))
	if i := it.Index(); i < n {
		a[i] += b[i] + c[i] + d[i]
	}
}

//gpuc:kernel workgroup=64
func LeastByBranches(it gpu.Item, a, b, c []uint32) {
	n := len(a)
	if len(b) < n {
		n = len(b)
	}
	if len(c) < n {
		n = len(c)
	}
	if i := it.Index(); i < n {
		a[i] += b[i] + c[i]
	}
}

//gpuc:kernel workgroup=64
func Stride(it gpu.Item, a, b, c []uint32) {
	stride := it.Groups().X * 64
	for i := it.Index(); i < len(a) && i < len(b) && i < len(c); i += stride {
		a[i] += b[i] + c[i]
	}
}

//gpuc:kernel workgroup=64
func StrideToLeast(it gpu.Item, a, b []uint32) {
	n := min(len(a), len(b))
	for i := it.Index() & 63; i < n; i += 64 {
		if it.Index() >= 64 {
			break
		}
		a[i] += b[i]
	}
}

//gpuc:kernel workgroup=64
func EqualLengths(it gpu.Item, a, b, c []uint32) {
	if len(a) != len(b) || len(a) != len(c) {
		return
	}
	if i := it.Index(); i < len(a) {
		a[i] += b[i] + c[i]
	}
}

//gpuc:kernel workgroup=64
func Range(it gpu.Item, a, b, c []uint32) {
	if len(b) < len(a) {
		return
	}
	s := uint32(0)
	for i, v := range a {
		s += v * b[i]
	}
	if i := it.Index(); i < len(c) {
		c[i] = s
	}
}

//gpuc:kernel workgroup=64
func RangeOfLength(it gpu.Item, a, b, c []uint32) {
	s := uint32(0)
	for i := range min(len(a), len(b)) {
		s += a[i] * b[i]
	}
	if i := it.Index(); i < len(c) {
		c[i] = s
	}
}

//gpuc:kernel workgroup=64
func Neighbours(it gpu.Item, a, b []uint32) {
	i := it.Index()
	if i > 0 && i+1 < len(b) && i < len(a) {
		a[i] = b[i-1] + b[i] + b[i+1]
	}
}

//gpuc:kernel workgroup=64
func Inner(it gpu.Item, a, b []uint32) {
	i := it.Index()
	n := min(len(a), len(b))
	if i < 1 || i >= n-1 {
		return
	}
	a[i] = b[i-1] + b[i] + b[i+1]
}

//gpuc:kernel workgroup=64
func Quads(it gpu.Item, a, b []uint32) {
	if i := it.Index(); i < len(a) && i < len(b)/4 {
		a[i] = b[4*i] + b[4*i+1] + b[4*i+2] + b[4*i+3]
	}
}

//gpuc:kernel workgroup=64
func QuadsByLength(it gpu.Item, a, b []uint32) {
	if len(b) < 4*len(a) {
		return
	}
	if i := it.Index(); i < len(a) {
		a[i] = b[4*i] + b[4*i+1] + b[4*i+2] + b[4*i+3]
	}
}

//gpuc:kernel workgroup=64
func QuadsByQuotient(it gpu.Item, a, b []uint32) {
	if len(b)/4 < len(a) {
		return
	}
	if i := it.Index(); i < len(a) {
		a[i] = b[4*i] + b[4*i+1] + b[4*i+2] + b[4*i+3]
	}
}

func inside(i int, a, b, c []uint32) bool {
	if i >= len(a) {
		return false
	}
	return i < len(b) && i < len(c)
}

//gpuc:kernel workgroup=64
func Helper(it gpu.Item, a, b, c []uint32) {
	i := it.Index()
	if !inside(i, a, b, c) {
		return
	}
	a[i] += b[i] + c[i]
}

//gpuc:kernel workgroup=64
func Continue(it gpu.Item, a, b, c []uint32) {
	if it.Index() >= 64 {
		return
	}
	for k := range 8 {
		i := it.Index() + 64*k
		if i >= len(a) || i >= len(b) {
			continue
		}
		if i >= len(c) {
			break
		}
		a[i] += b[i] + c[i]
	}
}

//gpuc:kernel workgroup=64
func Count(it gpu.Item, n uint32, a, b []uint32) {
	i := it.Index()
	if int(n) > len(a) || int(n) > len(b) {
		return
	}
	if i < int(n) {
		a[i] += b[i]
	}
}

//gpuc:kernel workgroup=64
func Resliced(it gpu.Item, a, b []uint32) {
	if len(b) < len(a) {
		return
	}
	b = b[:len(a)]
	if i := it.Index(); i < len(b) {
		a[i] += b[i]
	}
}

//gpuc:kernel workgroup=64
func Pairs(it gpu.Item, a, b []uint32) {
	i := it.Index()
	if 2*i+1 < len(b) && i < len(a) {
		a[i] = b[2*i] + b[2*i+1]
	}
}

//gpuc:kernel workgroup=16
func Plane(it gpu.Item, a, b []uint32, width int) {
	at := it.Global()
	if at.X < width && at.Y*width+at.X < len(a) && at.Y*width+at.X < len(b) {
		a[at.Y*width+at.X] = b[at.Y*width+at.X]
	}
}
