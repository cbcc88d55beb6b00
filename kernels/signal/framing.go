package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// framing says how samples are divided into frames of Length samples, each Hop after the one
// before. Batches have Samples samples and Frames frames.
type framing struct{ Batch, Samples, Frames, Length, Hop uint32 }

// cut copies the frames, multiplied by a window.
//
//gpuc:kernel workgroup=items types=float32,float64
func cut[T Float](it gpu.Item, p framing, weights, x, y []T) {
	e := fast.GroupOf(it)*items + uint32(it.LocalIndex())
	frame, k := e/p.Length, e%p.Length
	batch := frame / p.Frames
	if batch >= p.Batch {
		return
	}
	y[e] = x[batch*p.Samples+frame%p.Frames*p.Hop+k] * weights[k]
}

// overlap is the inverse of cut: the least squares of all frames that have a sample (Griffin and
// Lim, "Signal estimation from modified short-time Fourier transform", 1984). These are added
// from the first one on, multiplied by the window, and divided by the sum of its squares.
// Samples without weight are zero.
//
//gpuc:kernel workgroup=items types=float32,float64
func overlap[T Float](it gpu.Item, p framing, weights, x, y []T) {
	e := fast.GroupOf(it)*items + uint32(it.LocalIndex())
	batch, at := e/p.Samples, e%p.Samples
	if batch >= p.Batch {
		return
	}
	first := uint32(0)
	if at >= p.Length {
		first = (at-p.Length)/p.Hop + 1
	}
	var sum, all T
	for frame := first; frame < p.Frames && frame*p.Hop <= at; frame++ {
		k := at - frame*p.Hop
		w := weights[k]
		sum += w * x[(batch*p.Frames+frame)*p.Length+k]
		all += w * w
	}
	if all > 0 {
		sum /= all
	}
	y[e] = sum
}

// weightRows multiplies rows by weights.
//
//gpuc:kernel workgroup=items types=float32,float64
func weightRows[T Float](it gpu.Item, weights, x []T) {
	e := fast.GroupOf(it)*items + uint32(it.LocalIndex())
	if e < uint32(len(x)) {
		x[e] *= weights[e%uint32(len(weights))]
	}
}
