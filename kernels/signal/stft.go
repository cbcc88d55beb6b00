package signal

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// STFT is a plan of short-time Fourier transforms. PlanSTFT makes it. All methods may be called
// by several goroutines at once.
type STFT[T Float, C Complex] struct {
	engine           engine
	frames, bins     int
	samples          int
	signal, spectrum int // lengths of buffers
	forward, inverse []step
}

// PlanSTFT prepares, on a stream, short-time Fourier transforms of batch signals of so many
// samples. Frames have as many samples as the window, and begin each hop samples. All frames
// that are within the signal are transformed: 1+(samples-len(window))/hop, or none. A frame's
// spectrum has len(window)/2+1 numbers, so a result has the shape (batch, Frames, Bins).
//
// It waits for nothing, and fails as gpu.Alloc does. The plan keeps scratch memory of the
// stream. Sizes that are not possible are a *gpu.ShapeError. Normalize says how frames are
// scaled, Distances has no meaning.
func PlanSTFT[T Float, C Complex](s *gpu.Stream, samples, batch int, window []float64, hop int, o ...Option) (*STFT[T, C], error) {
	const operation = "signal.PlanSTFT"
	if isDouble[T]() != isDouble[C]() {
		return nil, shapeError(operation, "types", fmt.Sprintf("%T and %T", *new(T), *new(C)), "float32 and complex64, or float64 and complex128")
	}
	set, size, err := planned(operation, s, []int{samples}, batch, o)
	if err != nil {
		return nil, err
	}
	n := len(window)
	switch {
	case n == 0:
		return nil, shapeError(operation, "window", "0 weights", "1 or more")
	case hop < 1:
		return nil, shapeError(operation, "hop", fmt.Sprint(hop), "1 or more")
	}
	p := &STFT[T, C]{engine: engine{operation: "signal.STFT", stream: s, double: isDouble[T](), strict: set.strict}, bins: n/2 + 1, samples: samples}
	if size >= n {
		p.frames = 1 + (size-n)/hop
	}
	var ok, fits bool
	p.signal, ok = product(size, batch)
	if p.spectrum, fits = product(batch, p.frames, p.bins); fits {
		_, fits = product(batch, p.frames, n)
	}
	if !ok || !fits {
		return nil, shapeError(operation, "batch", fmt.Sprint(batch), fmt.Sprintf("%d elements at most", maxElements))
	}
	if p.spectrum == 0 {
		if p.signal > 0 { // an inverse writes zeros
			p.inverse = []step{p.engine.windowStep(windowed{Batch: 1, Rows: 1, Columns: uint32(p.signal), InRows: 0, InColumns: 0}, longKernel, output)}
			p.engine.need(longKernel, 1)
			if err := p.engine.allocate(); err != nil {
				return nil, closing(err, &p.engine)
			}
		}
		return p, nil
	}
	e := &p.engine
	weights, err := e.uploadReal(window)
	if err != nil {
		return nil, closing(err, e)
	}
	count := batch * p.frames
	f := framing{Batch: uint32(batch), Samples: uint32(size), Frames: uint32(p.frames), Length: uint32(n), Hop: uint32(hop)}
	e.need(longSignal, (count*n+1)/2)
	r := realRows{n: n, h: p.bins, size: n, spectrum: p.bins, batch: count, time: n, frequency: p.bins}
	forward, inverse := set.normalization.scales(n)
	tables := []gpu.Bound{weights}
	p.forward = []step{{kernel: cutKernel.of(e), grid: gridOf((count*n + items - 1) / items), values: f.words(), tables: tables, roles: []role{input, longSignal}}}
	steps, err := e.realForward(r, longSignal, output, forward)
	if err != nil {
		return nil, closing(err, e)
	}
	p.forward = append(p.forward, steps...)
	if p.inverse, err = e.realInverse(r, input, longSignal, inverse); err != nil {
		return nil, closing(err, e)
	}
	p.inverse = append(p.inverse, step{kernel: overlapKernel.of(e), grid: gridOf((p.signal + items - 1) / items), values: f.words(), tables: tables, roles: []role{longSignal, output}})
	if err := e.allocate(); err != nil {
		return nil, closing(err, e)
	}
	return p, nil
}

// Frames is how many frames a signal has.
func (p *STFT[T, C]) Frames() int {
	if p == nil {
		return 0
	}
	return p.frames
}

// Bins is how many numbers the spectrum of a frame has.
func (p *STFT[T, C]) Bins() int {
	if p == nil {
		return 0
	}
	return p.bins
}

// Forward enqueues the spectra of the frames of signals, each multiplied by the window, to y.
// Buffers have the plan's numbers of elements, which is a *gpu.ShapeError otherwise, and do not
// overlap.
func (p *STFT[T, C]) Forward(samples *gpu.Buffer[T], y *gpu.Buffer[C]) error {
	const operation = "signal.STFT.Forward"
	if p == nil || p.engine.stream == nil {
		return noPlan(operation, "PlanSTFT")
	}
	if err := firstError(haveLength(operation, "samples", samples, p.signal), haveLength(operation, "y", y, p.spectrum)); err != nil {
		return err
	}
	return p.engine.run(p.forward, samples, y, nil)
}

// Inverse enqueues the signals whose frames have the spectra y. If no signal has them, it is the
// one with the least squares of differences. Samples where the window has no weight are zero.
func (p *STFT[T, C]) Inverse(y *gpu.Buffer[C], samples *gpu.Buffer[T]) error {
	const operation = "signal.STFT.Inverse"
	if p == nil || p.engine.stream == nil {
		return noPlan(operation, "PlanSTFT")
	}
	if err := firstError(haveLength(operation, "y", y, p.spectrum), haveLength(operation, "samples", samples, p.signal)); err != nil {
		return err
	}
	return p.engine.run(p.inverse, y, samples, nil)
}

// ScratchBytes is how much memory the plan has beside its tables.
func (p *STFT[T, C]) ScratchBytes() int {
	if p == nil {
		return 0
	}
	return p.engine.scratchBytes()
}

// Close frees the plan's memory once its work has finished. Closing twice is no error.
func (p *STFT[T, C]) Close() error {
	if p == nil {
		return nil
	}
	return p.engine.close()
}
