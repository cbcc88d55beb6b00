package signal

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// FIR enqueues a filter of channels with a finite impulse response, and keeps one of each
// decimation results:
//
//	y[i] = Σ taps[k]·x[i·decimation-k]
//
// Samples before the first one are zero. Channels follow each other in x and in y. Sums begin
// with zero, and are in the order of k. n samples have ⌈n/decimation⌉ results. Without taps
// results are zero.
//
// The length of x is a multiple of channels, y has that of the results, and decimation is 1 or
// more, otherwise it is a *gpu.ShapeError. The buffers do not overlap.
func FIR[T Float](s *gpu.Stream, taps, x, y *gpu.Buffer[T], channels, decimation int) error {
	const operation = "signal.FIR"
	n, err := channelLength(operation, s, x, channels)
	if err != nil {
		return err
	}
	if decimation < 1 {
		return shapeError(operation, "decimation", fmt.Sprint(decimation), "1 or more")
	}
	results := (n + decimation - 1) / decimation
	if n == 0 {
		results = 0
	}
	if taps == nil {
		return shapeError(operation, "taps", "nil", "a buffer")
	}
	if err := haveLength(operation, "y", y, results*channels); err != nil || results*channels == 0 {
		return err
	}
	if taps.Len() == 0 {
		return shapeError(operation, "taps", "0 elements", "1 or more")
	}
	d := sums{
		Batch: uint32(channels), OutRows: 1, OutColumns: uint32(results), InRows: 1, InColumns: uint32(n),
		KernelRows: 1, KernelCols: uint32(taps.Len()), Step: uint32(decimation),
	}
	if (results-1)*decimation > maxElements-4*items*decimation {
		return shapeError(operation, "decimation", fmt.Sprint(decimation), "less")
	}
	groups := d.blocks()
	return wrapped(operation, launchDirect(s, gridOf(groups), d, taps, x, y))
}

// Sections enqueues a recursive filter of channels, as second-order sections one after the
// other. A section has six coefficients, b0, b1, b2, a0, a1 and a2, as those of
// scipy.signal.sosfilt:
//
//	a0·y[i] = b0·x[i] + b1·x[i-1] + b2·x[i-2] - a1·y[i-1] - a2·y[i-2]
//
// Channels follow each other in x and in y. State has two numbers for each section of each
// channel, those of a channel together: what the filter knows of earlier samples, zero at first.
// It is replaced by what the filter knows at the end. So blocks of a longer signal are filtered
// one after the other.
//
// One item filters a channel, so it is many channels that are fast. The lengths of the buffers
// have to fit, otherwise it is a *gpu.ShapeError. The buffers do not overlap.
func Sections[T Float](s *gpu.Stream, coefficients, state, x, y *gpu.Buffer[T], channels int) error {
	const operation = "signal.Sections"
	n, err := channelLength(operation, s, x, channels)
	if err != nil {
		return err
	}
	if coefficients == nil || coefficients.Len() == 0 || coefficients.Len()%6 != 0 {
		return shapeError(operation, "coefficients", fmt.Sprintf("%d elements", coefficients.Len()), "six for each section, and one section or more")
	}
	if err := firstError(haveLength(operation, "state", state, coefficients.Len()/3*channels), haveLength(operation, "y", y, n*channels)); err != nil || n*channels == 0 {
		return err
	}
	return wrapped(operation, launchSections(s, gpu.D1(uint32((channels+63)/64)), uint32(channels), uint32(n), coefficients, state, x, y))
}

// ApplyWindow enqueues the product of each row of x with weights, which replaces x. The length
// of x is a multiple of that of weights, otherwise it is a *gpu.ShapeError.
func ApplyWindow[T Float](s *gpu.Stream, weights, x *gpu.Buffer[T]) error {
	const operation = "signal.ApplyWindow"
	switch {
	case s == nil:
		return noStream(operation)
	case weights == nil:
		return shapeError(operation, "weights", "nil", "a buffer")
	case x == nil:
		return shapeError(operation, "x", "nil", "a buffer")
	case x.Len() == 0:
		return wrapped(operation, s.Usable(x))
	case weights.Len() == 0 || x.Len()%weights.Len() != 0:
		return shapeError(operation, "x", fmt.Sprintf("%d elements", x.Len()), fmt.Sprintf("a multiple of %d, as there are weights", weights.Len()))
	}
	return wrapped(operation, launchWeightRows(s, gridOf((x.Len()+items-1)/items), weights, x))
}

// channelLength returns how many samples a channel has.
func channelLength[T any](operation string, s *gpu.Stream, x *gpu.Buffer[T], channels int) (int, error) {
	switch {
	case s == nil:
		return 0, noStream(operation)
	case x == nil:
		return 0, shapeError(operation, "x", "nil", "a buffer")
	case channels < 0 || channels == 0 && x.Len() > 0:
		return 0, shapeError(operation, "channels", fmt.Sprint(channels), "1 or more")
	case x.Len() > maxElements:
		return 0, shapeError(operation, "x", fmt.Sprintf("%d elements", x.Len()), fmt.Sprintf("%d at most", maxElements))
	case channels == 0:
		return 0, nil
	case x.Len()%channels != 0:
		return 0, shapeError(operation, "x", fmt.Sprintf("%d elements", x.Len()), fmt.Sprintf("a multiple of %d, as there are channels", channels))
	}
	return x.Len() / channels, nil
}
