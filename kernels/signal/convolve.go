package signal

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Mode says which part of a convolution is computed, of n samples with m coefficients.
type Mode int

const (
	// Full is all of it: n+m-1 samples.
	Full Mode = iota
	// Same is the n samples in its middle, from number (m-1)/2 on.
	Same
	// Valid is where no zeros are added: n-m+1 samples, or none.
	Valid
)

// length returns how many samples a convolution has, and the first one.
func (m Mode) length(signal, kernel int) (length, first int) {
	switch {
	case signal == 0 || kernel == 0:
		return 0, 0
	case m == Full:
		return signal + kernel - 1, 0
	case m == Same:
		return signal, (kernel - 1) / 2
	}
	return max(0, signal-kernel+1), kernel - 1
}

// Method says how a convolution is computed.
type Method int

const (
	// Automatic is Direct up to 128 coefficients, and ByFFT beyond.
	Automatic Method = iota
	// Direct adds products in the order of coefficients.
	Direct
	// ByFFT multiplies spectra. Its errors are relative to the largest samples.
	ByFFT
)

const maxDirect = 128

// By says how a plan computes convolutions; without it that is Automatic.
func By(m Method) Option { return func(o *options) { o.method = m } }

// Convolution is a plan of convolutions and correlations. PlanConvolution makes it. All methods
// may be called by several goroutines at once.
type Convolution[T Float] struct {
	engine                     engine
	signalLength, kernelLength int
	resultLength               int
	shape                      []int
	convolve, correlate        []step
}

// PlanConvolution prepares convolutions, on a stream, of batch signals with the same
// coefficients. Signals and coefficients have one dimension or two: [n], or [rows, columns].
// Mode applies to each dimension. If either of both is empty, so are the results.
//
//	convolution: y[i] = Σ h[k]·x[i-k]    correlation: y[i] = Σ h[m-1-k]·x[i-k]
//
// The results are those of scipy.signal.convolve and correlate. Those of Direct have the same
// bits on every device, as have those of ByFFT: which of them Automatic takes depends on sizes
// alone.
//
// It waits for nothing, and fails as gpu.Alloc does. The plan keeps scratch memory of the
// stream. A shape that is not possible is a *gpu.ShapeError. The options Normalize and Distances
// have no meaning.
func PlanConvolution[T Float](s *gpu.Stream, signal, kernel []int, batch int, mode Mode, o ...Option) (*Convolution[T], error) {
	const operation = "signal.PlanConvolution"
	set, size, err := planned(operation, s, signal, batch, o)
	if err != nil {
		return nil, err
	}
	kernelSize, ok := product(append([]int{1}, kernel...)...)
	switch {
	case len(signal) > 2:
		return nil, shapeError(operation, "signal", fmt.Sprintf("%d dimensions", len(signal)), "1 or 2")
	case len(kernel) != len(signal):
		return nil, shapeError(operation, "kernel", fmt.Sprintf("%d dimensions", len(kernel)), fmt.Sprintf("%d, as the signal has", len(signal)))
	case !ok:
		return nil, shapeError(operation, "kernel", fmt.Sprint(kernel), fmt.Sprintf("sizes of 0 or more, and %d elements at most", maxElements))
	case mode < Full || mode > Valid:
		return nil, shapeError(operation, "mode", fmt.Sprint(int(mode)), "Full, Same or Valid")
	case set.method < Automatic || set.method > ByFFT:
		return nil, shapeError(operation, "method", fmt.Sprint(int(set.method)), "Automatic, Direct or ByFFT")
	}
	c := &Convolution[T]{engine: engine{operation: "signal.Convolution", stream: s, double: isDouble[T](), strict: set.strict}}
	var first []int
	for d := range signal {
		n, at := mode.length(signal[d], kernel[d])
		c.shape, first = append(c.shape, n), append(first, at)
	}
	if size == 0 || kernelSize == 0 {
		clear(c.shape)
	}
	if c.signalLength, ok = product(size, batch); ok {
		c.resultLength, ok = product(append([]int{batch}, c.shape...)...)
	}
	if !ok {
		return nil, shapeError(operation, "batch", fmt.Sprint(batch), fmt.Sprintf("%d elements at most", maxElements))
	}
	if c.kernelLength = kernelSize; c.resultLength == 0 {
		return c, nil
	}
	e := &c.engine
	p := problem{plane(signal), plane(kernel), plane(c.shape), plane(first), batch}
	if len(signal) == 1 {
		p.first[0] = 0
	}
	for reversed := range 2 {
		var steps []step
		if set.method == Direct || set.method == Automatic && kernelSize <= maxDirect {
			steps = e.directSteps(p, reversed == 1)
		} else if steps, err = e.spectralSteps(p, reversed == 1); err != nil {
			return nil, closing(err, e)
		}
		if reversed == 1 {
			c.correlate = steps
		} else {
			c.convolve = steps
		}
	}
	if err := e.allocate(); err != nil {
		return nil, closing(err, e)
	}
	return c, nil
}

// Shape returns the shape of a result.
func (c *Convolution[T]) Shape() []int {
	if c == nil {
		return nil
	}
	return append([]int(nil), c.shape...)
}

// Convolve enqueues the convolution of x with h, and writes y. Buffers have the plan's numbers
// of elements, which is a *gpu.ShapeError otherwise, and do not overlap.
func (c *Convolution[T]) Convolve(x, h, y *gpu.Buffer[T]) error {
	if c == nil {
		return noPlan("signal.Convolution.Convolve", "PlanConvolution")
	}
	return c.run("signal.Convolution.Convolve", c.convolve, x, h, y)
}

// Correlate enqueues the correlation of x with h, which is the convolution with h from its end
// to its beginning. Buffers are as for Convolve.
func (c *Convolution[T]) Correlate(x, h, y *gpu.Buffer[T]) error {
	if c == nil {
		return noPlan("signal.Convolution.Correlate", "PlanConvolution")
	}
	return c.run("signal.Convolution.Correlate", c.correlate, x, h, y)
}

func (c *Convolution[T]) run(operation string, steps []step, x, h, y *gpu.Buffer[T]) error {
	if c.engine.stream == nil {
		return noPlan(operation, "PlanConvolution")
	}
	if err := firstError(haveLength(operation, "x", x, c.signalLength), haveLength(operation, "h", h, c.kernelLength), haveLength(operation, "y", y, c.resultLength)); err != nil {
		return err
	}
	if gpu.Overlap(x, y) || gpu.Overlap(h, y) {
		return wrapped(operation, gpu.ErrAlias)
	}
	return c.engine.run(steps, x, y, h)
}

// ScratchBytes is how much memory the plan has beside its tables.
func (c *Convolution[T]) ScratchBytes() int {
	if c == nil {
		return 0
	}
	return c.engine.scratchBytes()
}

// Close frees the plan's memory once its work has finished. Closing twice is no error.
func (c *Convolution[T]) Close() error {
	if c == nil {
		return nil
	}
	return c.engine.close()
}

// problem is a convolution: rows and columns of its arrays, and its first result.
type problem struct {
	signal, kernel, result, first [2]int
	batch                         int
}

// plane returns a shape as rows and columns.
func plane(shape []int) [2]int {
	if len(shape) == 1 {
		return [2]int{1, shape[0]}
	}
	return [2]int{shape[0], shape[1]}
}

// directSteps computes a convolution by its definition.
func (e *engine) directSteps(p problem, reversed bool) []step {
	d := sums{
		Batch: uint32(p.batch), OutRows: uint32(p.result[0]), OutColumns: uint32(p.result[1]), InRows: uint32(p.signal[0]), InColumns: uint32(p.signal[1]),
		KernelRows: uint32(p.kernel[0]), KernelCols: uint32(p.kernel[1]), Row: uint32(p.first[0]), Column: uint32(p.first[1]), Step: 1, Reversed: flag(reversed),
	}
	groups := d.blocks()
	return []step{{kernel: directKernel.of(e), grid: gridOf(groups), values: d.words(), roles: []role{operand, input, output}}}
}

// blocks sets how many workgroups have a row of the output, and returns how many there are.
func (d *sums) blocks() int {
	d.Blocks = (d.OutColumns + outputs*items - 1) / (outputs * items)
	return int(d.Batch) * int(d.OutRows) * int(d.Blocks)
}

func flag(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}

// spectralSteps computes a convolution by spectra of arrays with zeros behind, which are long
// enough for all of it.
func (e *engine) spectralSteps(p problem, reversed bool) ([]step, error) {
	var long [2]int
	for d := range long {
		long[d] = e.smoothAtLeast(p.signal[d] + p.kernel[d] - 1)
	}
	long[1] = max(long[1], 2)
	if err := e.fits(p.batch*long[0], long[1]); err != nil {
		return nil, err
	}
	r := realRows{n: long[1], h: long[1]/2 + 1, size: long[0] * long[1], batch: p.batch}
	r.spectrum = long[0] * r.h
	r.time, r.frequency = r.size, r.spectrum
	if long[0] > 1 {
		r.axes = []axis{{long[0], r.h}}
	}
	one := r
	one.batch = 1
	e.need(longSignal, r.batch*r.size/2)
	e.need(longKernel, r.size/2)
	e.need(spectrum, r.batch*r.spectrum)
	e.need(kernelSpectrum, r.spectrum)
	list := []step{
		e.windowStep(windowed{
			Batch: uint32(p.batch), Rows: uint32(long[0]), Columns: uint32(long[1]), InRows: uint32(p.signal[0]), InColumns: uint32(p.signal[1]),
		}, input, longSignal),
		e.windowStep(windowed{
			Batch: 1, Rows: uint32(long[0]), Columns: uint32(long[1]), InRows: uint32(p.kernel[0]), InColumns: uint32(p.kernel[1]), Reversed: flag(reversed),
		}, operand, longKernel),
	}
	for _, part := range []func() ([]step, error){
		func() ([]step, error) { return e.realForward(r, longSignal, spectrum, 1) },
		func() ([]step, error) { return e.realForward(one, longKernel, kernelSpectrum, 1) },
		func() ([]step, error) {
			all := rows{Count: uint32(p.batch), Length: uint32(r.spectrum)}
			return []step{e.rowsStep(multiplyKernel.of(e), all, nil, nil, kernelSpectrum, spectrum)}, nil
		},
		func() ([]step, error) { return e.realInverse(r, spectrum, longSignal, 1/float64(r.size)) },
	} {
		steps, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, steps...)
	}
	return append(list, e.windowStep(windowed{
		Batch: uint32(p.batch), Rows: uint32(p.result[0]), Columns: uint32(p.result[1]), InRows: uint32(long[0]), InColumns: uint32(long[1]),
		Row: uint32(p.first[0]), Column: uint32(p.first[1]),
	}, longSignal, output)), nil
}

// windowStep is a launch of window.
func (e *engine) windowStep(p windowed, from, to role) step {
	all := int(p.Batch) * int(p.Rows) * int(p.Columns)
	return step{kernel: windowKernel.of(e), grid: gridOf((all + items - 1) / items), values: p.words(), roles: []role{from, to}}
}
