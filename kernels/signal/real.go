package signal

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// RealFFT is a plan of Fourier transforms of real samples. PlanRealFFT makes it. All methods may
// be called by several goroutines at once.
type RealFFT[T Float, C Complex] struct {
	engine          engine
	timeLength      int
	frequencyLength int
	forward         []step
	inverse         []step
}

// PlanRealFFT prepares transforms of batch arrays of real samples of a shape, on a stream: of
// float32 to complex64, or of float64 to complex128. The spectrum of a dimension of n samples is
// symmetric. Of the last dimension it has the first n/2+1 numbers, of the others all. Of a shape
// (a, b, n) the spectra have the shape (a, b, n/2+1). An empty shape has empty spectra.
//
// Options, errors and precision are those of PlanFFT. Even n take about half as long as complex
// numbers, odd ones as long.
func PlanRealFFT[T Float, C Complex](s *gpu.Stream, shape []int, batch int, o ...Option) (*RealFFT[T, C], error) {
	const operation = "signal.PlanRealFFT"
	if isDouble[T]() != isDouble[C]() {
		return nil, shapeError(operation, "types", fmt.Sprintf("%T and %T", *new(T), *new(C)), "float32 and complex64, or float64 and complex128")
	}
	set, size, err := planned(operation, s, shape, batch, o)
	if err != nil {
		return nil, err
	}
	if batch == 1 {
		set.in, set.out = 0, 0
	}
	n := shape[len(shape)-1]
	h := 0
	if size > 0 {
		h = n/2 + 1
	}
	spectrum, ok := product(size/max(n, 1), h)
	if !ok {
		return nil, shapeError(operation, "shape", fmt.Sprint(shape), fmt.Sprintf("%d elements at most", maxElements))
	}
	f := &RealFFT[T, C]{engine: engine{operation: "signal.RealFFT", stream: s, double: isDouble[T](), strict: set.strict}}
	if f.timeLength, err = extent(operation, "time", set.in, size, batch); err == nil {
		f.frequencyLength, err = extent(operation, "frequency", set.out, spectrum, batch)
	}
	if err != nil {
		return nil, err
	}
	if size == 0 || batch == 0 {
		return f, nil
	}
	forward, inverse := set.normalization.scales(size)
	r := realRows{
		n: n, h: h, size: size, spectrum: spectrum, batch: batch, axes: axesOf(shape[:len(shape)-1], h),
		time: distance(set.in, size), frequency: distance(set.out, spectrum),
	}
	e := &f.engine
	if f.forward, err = e.realForward(r, input, output, forward); err == nil {
		f.inverse, err = e.realInverse(r, input, output, inverse)
	}
	if err == nil {
		err = e.allocate()
	}
	if err != nil {
		return nil, closing(err, e)
	}
	return f, nil
}

// Forward enqueues the transform of samples to y. The buffers have the plan's numbers of
// elements, which is a *gpu.ShapeError otherwise, and do not overlap.
func (f *RealFFT[T, C]) Forward(samples *gpu.Buffer[T], y *gpu.Buffer[C]) error {
	const operation = "signal.RealFFT.Forward"
	if f == nil || f.engine.stream == nil {
		return noPlan(operation, "PlanRealFFT")
	}
	if err := firstError(haveLength(operation, "samples", samples, f.timeLength), haveLength(operation, "y", y, f.frequencyLength)); err != nil {
		return err
	}
	return f.engine.run(f.forward, samples, y, nil)
}

// Inverse enqueues the inverse transform of y, which does not change, to samples. Of the first
// number of a row it ignores what is imaginary, and of the last one if the number of samples is
// even.
func (f *RealFFT[T, C]) Inverse(y *gpu.Buffer[C], samples *gpu.Buffer[T]) error {
	const operation = "signal.RealFFT.Inverse"
	if f == nil || f.engine.stream == nil {
		return noPlan(operation, "PlanRealFFT")
	}
	if err := firstError(haveLength(operation, "y", y, f.frequencyLength), haveLength(operation, "samples", samples, f.timeLength)); err != nil {
		return err
	}
	return f.engine.run(f.inverse, y, samples, nil)
}

// ScratchBytes is how much memory the plan has beside its tables.
func (f *RealFFT[T, C]) ScratchBytes() int {
	if f == nil {
		return 0
	}
	return f.engine.scratchBytes()
}

// Close frees the plan's memory once its work has finished. Closing twice is no error.
func (f *RealFFT[T, C]) Close() error {
	if f == nil {
		return nil
	}
	return f.engine.close()
}

// realRows are rows of n samples with spectra of h numbers. Batches have size samples, and
// spectra of so many numbers, with further axes. Time and frequency are how far batches are
// apart.
type realRows struct {
	n, h            int
	size, spectrum  int
	batch           int
	axes            []axis
	time, frequency int
}

// rows returns the parameters of the kernels between samples and complex rows of length numbers.
func (r *realRows) rows(length int) rows {
	perBatch := r.size / r.n
	return rows{
		Count: uint32(perBatch * r.batch), Length: uint32(length), PerBatch: uint32(perBatch), Inner: 1, N: uint32(r.n),
		InDistance: uint32(r.time), InLength: uint32(r.n), OutDistance: uint32(r.frequency), OutLength: uint32(r.h),
	}
}

// reversed exchanges input and output.
func (p rows) reversed() rows {
	p.InDistance, p.OutDistance = p.OutDistance, p.InDistance
	p.InLength, p.OutLength = p.OutLength, p.InLength
	return p
}

// packed reports whether rows are transformed as pairs of samples, which begin at even
// positions.
func (r *realRows) packed() bool { return r.n%2 == 0 && (r.batch == 1 || r.time%2 == 0) }

// realForward returns the launches of a forward transform.
func (e *engine) realForward(r realRows, from, to role, scale float64) (list []step, err error) {
	t := transform{size: r.size, batch: r.batch, axes: []axis{{r.n, 1}}, from: location{from, r.time}, to: location{scratchA, r.size}, spare: scratchB, scale: scale}
	p := r.rows(r.h)
	if r.packed() {
		t.size, t.axes, t.from.distance, t.to.distance = r.size/2, []axis{{r.n / 2, 1}}, r.time/2, r.size/2
		if list, err = e.steps(t); err != nil {
			return nil, err
		}
		e.need(scratchA, t.size*t.batch)
		roots, err := e.table(tableKey{"roots", r.n, 0}, func() []complex128 { return rootsTo(r.n) })
		if err != nil {
			return nil, err
		}
		list = append(list, e.rowsStep(splitSpectrumKernel.of(e), p, nil, []gpu.Bound{roots}, scratchA, to))
	} else {
		list = append(list, e.rowsStep(widenKernel.of(e), r.rows(r.n), nil, nil, from, scratchA))
		e.need(scratchA, t.size*t.batch)
		t.from = location{scratchA, r.size}
		steps, err := e.steps(t)
		if err != nil {
			return nil, err
		}
		list = append(append(list, steps...), e.rowsStep(firstHalfKernel.of(e), p, nil, nil, scratchA, to))
	}
	if len(r.axes) == 0 {
		return list, nil
	}
	steps, err := e.steps(transform{
		size: r.spectrum, batch: r.batch, axes: r.axes, from: location{to, r.frequency}, to: location{to, r.frequency}, spare: scratchA, scale: 1,
	})
	return append(list, steps...), err
}

// realInverse returns the launches of an inverse transform.
func (e *engine) realInverse(r realRows, from, to role, scale float64) (list []step, err error) {
	at := location{from, r.frequency}
	if len(r.axes) > 0 {
		other := transform{
			size: r.spectrum, batch: r.batch, axes: r.axes, from: at, to: location{scratchA, r.spectrum}, spare: scratchB, inverse: true, scale: 1,
		}
		if list, err = e.steps(other); err != nil {
			return nil, err
		}
		at = other.to
	}
	p := r.rows(r.n).reversed()
	p.InDistance = uint32(at.distance)
	t := transform{size: r.size, batch: r.batch, axes: []axis{{r.n, 1}}, from: location{scratchB, r.size}, to: location{to, r.time}, spare: scratchA, inverse: true, scale: scale}
	if r.packed() {
		t.size, t.axes = r.size/2, []axis{{r.n / 2, 1}}
		t.from.distance, t.to.distance, t.scale = r.size/2, r.time/2, 2*scale
		roots, err := e.table(tableKey{"roots", r.n, 0}, func() []complex128 { return rootsTo(r.n) })
		if err != nil {
			return nil, err
		}
		p.Length = p.N / 2
		list = append(list, e.rowsStep(joinSpectrumKernel.of(e), p, nil, []gpu.Bound{roots}, at.role, scratchB))
		e.need(scratchB, t.size*t.batch)
		steps, err := e.steps(t)
		return append(list, steps...), err
	}
	list = append(list, e.rowsStep(mirrorKernel.of(e), p, nil, nil, at.role, scratchB))
	e.need(scratchB, t.size*t.batch)
	t.to, t.scale = location{scratchB, r.size}, 1
	steps, err := e.steps(t)
	if err != nil {
		return nil, err
	}
	return append(append(list, steps...), e.rowsStep(realPartKernel.of(e), p, &scale, nil, scratchB, to)), nil
}
