package signal

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// DCT is a plan of cosine transforms. PlanDCT makes it. All methods may be called by several
// goroutines at once.
type DCT[T Float] struct {
	engine engine
	length int
	steps  []step
}

// PlanDCT prepares, on a stream, cosine transforms of type 2, 3 or 4 of batch rows of n numbers:
//
//	2: y[k] = 2·Σ x[j]·cos(π·k·(2j+1)/2n)
//	3: y[k] = x[0] + 2·Σ x[j]·cos(π·j·(2k+1)/2n), j > 0
//	4: y[k] = 2·Σ x[j]·cos(π·(2j+1)·(2k+1)/4n)
//
// Types 2 and 3 are inverse to each other, and type 4 to itself, but for the factor 2n. With
// Normalize(Ortho) there is no such factor, and transforms are orthogonal. The other
// normalizations change nothing. These are the transforms of scipy.fft.dct.
//
// It waits for nothing, and fails as gpu.Alloc does. The plan keeps scratch memory of the
// stream. Sizes and types that are not possible are a *gpu.ShapeError.
func PlanDCT[T Float](s *gpu.Stream, kind, n, batch int, o ...Option) (*DCT[T], error) {
	const operation = "signal.PlanDCT"
	set, size, err := planned(operation, s, []int{n}, batch, o)
	if err != nil {
		return nil, err
	}
	if kind < 2 || kind > 4 {
		return nil, shapeError(operation, "kind", fmt.Sprint(kind), "2, 3 or 4")
	}
	c := &DCT[T]{engine: engine{operation: "signal.DCT", stream: s, double: isDouble[T](), strict: set.strict}}
	var ok, fits bool
	c.length, ok = product(size, batch)
	if _, fits = product(2, size+1, batch); !ok || !fits {
		return nil, shapeError(operation, "batch", fmt.Sprint(batch), fmt.Sprintf("%d elements at most", maxElements))
	}
	if c.length == 0 {
		return c, nil
	}
	scale, first := 1.0, 1.0
	if set.normalization == Ortho {
		scale, first = math.Sqrt(0.5/float64(n)), math.Sqrt(0.5)
	}
	e := &c.engine
	switch kind {
	case 2:
		c.steps, err = e.cosineSteps(n, batch, scale, first)
	case 3:
		c.steps, err = e.inverseCosineSteps(n, batch, scale, 1/first)
	case 4:
		c.steps, err = e.quarterSteps(n, batch, scale)
	}
	if err == nil {
		err = e.allocate()
	}
	if err != nil {
		return nil, closing(err, e)
	}
	return c, nil
}

// Transform enqueues the transforms of x to y. Both have the plan's number of elements, which is
// a *gpu.ShapeError otherwise, and are the same buffer or do not overlap.
func (c *DCT[T]) Transform(x, y *gpu.Buffer[T]) error {
	const operation = "signal.DCT.Transform"
	if c == nil || c.engine.stream == nil {
		return noPlan(operation, "PlanDCT")
	}
	if err := firstError(haveLength(operation, "x", x, c.length), haveLength(operation, "y", y, c.length)); err != nil {
		return err
	}
	return c.engine.run(c.steps, x, y, nil)
}

// ScratchBytes is how much memory the plan has beside its tables.
func (c *DCT[T]) ScratchBytes() int {
	if c == nil {
		return 0
	}
	return c.engine.scratchBytes()
}

// Close frees the plan's memory once its work has finished. Closing twice is no error.
func (c *DCT[T]) Close() error {
	if c == nil {
		return nil
	}
	return c.engine.close()
}

// cosineFactors returns count numbers, amount·exp(sign·πi·(k+shift)/2n). The first one is
// multiplied by first.
func cosineFactors(count, n int, amount, first, sign, shift float64) []complex128 {
	list := make([]complex128, count)
	for k := range list {
		list[k] = cmplx.Rect(amount, sign*math.Pi*(float64(k)+shift)/float64(2*n))
	}
	list[0] *= complex(first, 0)
	return list
}

// cosineSteps returns the launches of a transform of type 2.
func (e *engine) cosineSteps(n, batch int, scale, first float64) ([]step, error) {
	factors, err := e.upload(cosineFactors(n, n, 2*scale, first, -1, 0))
	if err != nil {
		return nil, err
	}
	r := realRows{n: n, h: n/2 + 1, size: n, spectrum: n/2 + 1, batch: batch, time: n, frequency: n/2 + 1}
	e.need(longSignal, (n*batch+1)/2)
	e.need(spectrum, r.h*batch)
	p := rows{Count: uint32(batch), Length: uint32(n), N: uint32(n)}
	list := []step{e.rowsStep(evenFirstKernel.of(e), p, nil, nil, input, longSignal)}
	steps, err := e.realForward(r, longSignal, spectrum, 1)
	if err != nil {
		return nil, err
	}
	return append(append(list, steps...), e.rowsStep(cosinesKernel.of(e), p, nil, []gpu.Bound{factors}, spectrum, output)), nil
}

// inverseCosineSteps returns the launches of a transform of type 3.
func (e *engine) inverseCosineSteps(n, batch int, scale, first float64) ([]step, error) {
	r := realRows{n: n, h: n/2 + 1, size: n, spectrum: n/2 + 1, batch: batch, time: n, frequency: n/2 + 1}
	factors, err := e.upload(cosineFactors(r.h, n, scale, first, 1, 0))
	if err != nil {
		return nil, err
	}
	e.need(longSignal, (n*batch+1)/2)
	e.need(spectrum, r.h*batch)
	p := rows{Count: uint32(batch), Length: uint32(r.h), N: uint32(n)}
	list := []step{e.rowsStep(fromCosinesKernel.of(e), p, nil, []gpu.Bound{factors}, input, spectrum)}
	steps, err := e.realInverse(r, spectrum, longSignal, 1)
	if err != nil {
		return nil, err
	}
	p.Length = uint32(n)
	one := 1.0
	return append(append(list, steps...), e.rowsStep(evenLastKernel.of(e), p, &one, nil, longSignal, output)), nil
}

// quarterSteps returns the launches of a transform of type 4. With
//
//	(2j+1)(2k+1)/4n = jk/n + j/2n + (2k+1)/4n
//
// it is a Fourier transform of 2n numbers, of which half are zero, between two multiplications.
func (e *engine) quarterSteps(n, batch int, scale float64) ([]step, error) {
	before, err := e.upload(cosineFactors(n, n, 1, 1, -1, 0))
	if err != nil {
		return nil, err
	}
	after, err := e.upload(cosineFactors(n, n, 2*scale, 1, -1, 0.5))
	if err != nil {
		return nil, err
	}
	e.need(spectrum, 2*n*batch)
	p := rows{Count: uint32(batch), Length: uint32(2 * n), N: uint32(n)}
	list := []step{e.rowsStep(quarterKernel.of(e), p, nil, []gpu.Bound{before}, input, spectrum)}
	steps, err := e.steps(transform{
		size: 2 * n, batch: batch, axes: []axis{{2 * n, 1}}, from: location{spectrum, 2 * n}, to: location{longSignal, 2 * n}, spare: scratchA, scale: 1,
	})
	if err != nil {
		return nil, err
	}
	e.need(longSignal, 2*n*batch)
	p.Length = uint32(n)
	return append(append(list, steps...), e.rowsStep(quarterOutKernel.of(e), p, nil, []gpu.Bound{after}, longSignal, output)), nil
}
