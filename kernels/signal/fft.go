package signal

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Normalization says by what transforms are scaled.
type Normalization int

const (
	// Backward scales inverse transforms by 1/n, and forward ones not at all.
	Backward Normalization = iota
	// Unscaled scales neither: an inverse transform after a forward one multiplies by n.
	Unscaled
	// Ortho scales both by 1/√n.
	Ortho
	// Forward scales forward transforms by 1/n, and inverse ones not at all.
	Forward
)

// scales returns the scales of forward and inverse transforms of n numbers.
func (n Normalization) scales(size int) (forward, inverse float64) {
	one := 1 / float64(max(size, 1))
	switch n {
	case Unscaled:
		return 1, 1
	case Ortho:
		return math.Sqrt(one), math.Sqrt(one)
	case Forward:
		return one, 1
	}
	return 1, one
}

// Option is an option of a plan.
type Option func(*options)

type options struct {
	normalization Normalization
	method        Method
	in, out       int
	strict        bool
}

// Normalize says by what transforms are scaled; without it that is Backward.
func Normalize(n Normalization) Option { return func(o *options) { o.normalization = n } }

// Strict says that results have the same bits on every device. So they have without it, but for
// complex64 of more than 2048 adjacent numbers, and of 512 or 1024 in another dimension. For these
// some devices have the workgroup memory for faster kernels, which this option leaves out.
func Strict() Option { return func(o *options) { o.strict = true } }

// Distances says how many elements the beginnings of batches are apart in buffers of the time
// domain and of the frequency domain. Without it batches are adjacent.
func Distances(time, frequency int) Option {
	return func(o *options) { o.in, o.out = time, frequency }
}

// FFT is a plan of complex Fourier transforms. PlanFFT makes it. All methods may be called by
// several goroutines at once.
type FFT[C Complex] struct {
	engine          engine
	timeLength      int
	frequencyLength int
	// by whether it is the inverse, and whether output is input
	steps [2][2][]step
}

// maxElements is how many elements a buffer has at most: indices are of 32 bits on devices.
const maxElements = 1<<31 - 1

// PlanFFT prepares transforms of batch arrays of a shape, on a stream. A shape has one to three
// dimensions, and the last one is that of adjacent elements. Sizes may be zero.
//
// Forward transforms are
//
//	y[k] = Σ x[j]·exp(-2πi·j·k/n)
//
// in each dimension, inverse ones have the conjugate factors and the scale 1/n: see Normalize.
// Any size is fast whose prime factors are 2, 3, 5, 7, 11 and 13. Others take about six times as
// long (Bluestein's algorithm).
//
// The relative error is about 1e-7·log₂ n for complex64 and 2e-16·log₂ n for complex128, as root
// mean squares. Results have the same bits on every device, but for some sizes without Strict.
//
// It waits for nothing, and fails as gpu.Alloc does. The plan keeps tables, and scratch memory
// of the stream. A shape or distance that is not possible is a *gpu.ShapeError.
func PlanFFT[C Complex](s *gpu.Stream, shape []int, batch int, o ...Option) (*FFT[C], error) {
	const operation = "signal.PlanFFT"
	set, size, err := planned(operation, s, shape, batch, o)
	if err != nil {
		return nil, err
	}
	f := &FFT[C]{engine: engine{operation: "signal.FFT", stream: s, double: isDouble[C](), strict: set.strict}}
	if f.timeLength, err = extent(operation, "time", set.in, size, batch); err == nil {
		f.frequencyLength, err = extent(operation, "frequency", set.out, size, batch)
	}
	if err != nil {
		return nil, err
	}
	forward, inverse := set.normalization.scales(size)
	if batch == 1 {
		set.in, set.out = 0, 0
	}
	time, frequency := distance(set.in, size), distance(set.out, size)
	e := &f.engine
	for same := range 2 {
		if same == 1 && time != frequency {
			break
		}
		to := output
		if same == 1 {
			to = input
		}
		t := transform{size: size, batch: batch, axes: axesOf(shape, 1), from: location{input, time}, to: location{to, frequency}, spare: scratchA, scale: forward}
		if f.steps[0][same], err = e.steps(t); err != nil {
			return nil, closing(err, e)
		}
		t.from.distance, t.to.distance, t.inverse, t.scale = frequency, time, true, inverse
		if f.steps[1][same], err = e.steps(t); err != nil {
			return nil, closing(err, e)
		}
	}
	if err := e.allocate(); err != nil {
		return nil, closing(err, e)
	}
	return f, nil
}

// Forward enqueues the forward transform of x to y. y may be x if batches are equally far apart
// in both; otherwise they do not overlap. Both have the plan's number of elements, which is a
// *gpu.ShapeError otherwise.
func (f *FFT[C]) Forward(x, y *gpu.Buffer[C]) error {
	return f.run("signal.FFT.Forward", 0, x, y)
}

// Inverse enqueues the inverse transform of y to x, which are as for Forward.
func (f *FFT[C]) Inverse(y, x *gpu.Buffer[C]) error {
	return f.run("signal.FFT.Inverse", 1, y, x)
}

func (f *FFT[C]) run(operation string, inverse int, from, to *gpu.Buffer[C]) error {
	if f == nil || f.engine.stream == nil {
		return noPlan(operation, "PlanFFT")
	}
	names, lengths := [2]string{"x", "y"}, [2]int{f.timeLength, f.frequencyLength}
	if inverse == 1 {
		names, lengths = [2]string{"y", "x"}, [2]int{f.frequencyLength, f.timeLength}
	}
	if err := firstError(haveLength(operation, names[0], from, lengths[0]), haveLength(operation, names[1], to, lengths[1])); err != nil {
		return err
	}
	if from == to {
		return f.engine.run(f.steps[inverse][1], from, to, nil)
	}
	return f.engine.run(f.steps[inverse][0], from, to, nil)
}

// ScratchBytes is how much memory the plan has beside its tables.
func (f *FFT[C]) ScratchBytes() int {
	if f == nil {
		return 0
	}
	return f.engine.scratchBytes()
}

// Close frees the plan's memory once its work has finished. Closing twice is no error.
func (f *FFT[C]) Close() error {
	if f == nil {
		return nil
	}
	return f.engine.close()
}

// axesOf returns the dimensions of a shape, the last one first. Their elements are inner apart.
func axesOf(shape []int, inner int) (list []axis) {
	for n := len(shape) - 1; n >= 0; n-- {
		list = append(list, axis{shape[n], inner})
		inner *= shape[n]
	}
	return list
}

// isDouble reports whether numbers consist of float64.
func isDouble[N Float | Complex]() bool {
	switch any(*new(N)).(type) {
	case float64, complex128:
		return true
	}
	return false
}

// distance is how far batches are apart.
func distance(set, size int) int {
	if set == 0 {
		return size
	}
	return set
}
