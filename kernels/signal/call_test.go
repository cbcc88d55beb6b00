package signal

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestCallsDoNotAllocate: the second and later calls of the same sizes take no memory of Go.
// Launches have one workgroup or few, for which the CPU device wakes no goroutines.
func TestCallsDoNotAllocate(t *testing.T) {
	s := stream(t, gpu.CPU)
	x, y := buffer(t, s, make([]complex64, 222)), buffer(t, s, make([]complex64, 222))
	a, b := buffer(t, s, make([]float32, 222)), buffer(t, s, make([]float32, 222))
	half := buffer(t, s, make([]complex64, 112))
	h := buffer(t, s, make([]float32, 111))
	six, state := buffer(t, s, []float32{1, 1, 1, 1, 1, 1}), buffer(t, s, make([]float32, 12))
	fft := must(PlanFFT[complex64](s, []int{222}, 1))
	real := must(PlanRealFFT[float32, complex64](s, []int{222}, 1))
	convolution := must(PlanConvolution[float32](s, []int{222}, []int{111}, 1, Same, By(ByFFT)))
	stft := must(PlanSTFT[float32, complex64](s, 222, 1, Hann(60), 162))
	frames := buffer(t, s, make([]complex64, stft.Frames()*stft.Bins()))
	dct := must(PlanDCT[float32](s, 2, 37, 6))
	for name, call := range map[string]func() error{
		"FFT":         func() error { return errors.Join(fft.Forward(x, y), fft.Inverse(y, y)) },
		"RealFFT":     func() error { return errors.Join(real.Forward(a, half), real.Inverse(half, b)) },
		"Convolution": func() error { return convolution.Convolve(a, h, b) },
		"STFT":        func() error { return errors.Join(stft.Forward(a, frames), stft.Inverse(frames, b)) },
		"DCT":         func() error { return dct.Transform(a, b) },
		"FIR":         func() error { return FIR(s, h, a, b, 1, 1) },
		"Sections":    func() error { return Sections(s, six, state, a, b, 6) },
		"ApplyWindow": func() error { return ApplyWindow(s, h, a) },
	} {
		// a device makes code of a kernel beside its first launches, and takes memory for that
		n := 1.0
		for attempt := 0; n != 0 && attempt < 20; attempt++ {
			n = testing.AllocsPerRun(10, func() {
				if err := errors.Join(call(), s.Wait(context.Background())); err != nil {
					t.Error(err)
				}
			})
		}
		if n != 0 {
			t.Errorf("%s: %v allocations in a call", name, n)
		}
	}
}

// TestBadArguments: what is wrong is an error that says so, and results are unchanged.
func TestBadArguments(t *testing.T) {
	s := stream(t, gpu.CPU)
	x, y := buffer(t, s, make([]complex64, 12)), buffer(t, s, []complex64{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7})
	few := buffer(t, s, make([]complex64, 5))
	a, b := buffer(t, s, make([]float32, 12)), buffer(t, s, []float32{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7})
	h, six := buffer(t, s, []float32{1, 2, 3}), buffer(t, s, make([]float32, 6))
	none := buffer(t, s, []float32{})
	closed := must(gpu.Alloc[complex64](s, 12))
	check(t, closed.Close())
	fft := must(PlanFFT[complex64](s, []int{4}, 3))
	fftClosed := must(PlanFFT[complex64](s, []int{4}, 3))
	check(t, fftClosed.Close())
	real := must(PlanRealFFT[float32, complex64](s, []int{4}, 3))
	convolution := must(PlanConvolution[float32](s, []int{12}, []int{3}, 1, Same))
	stft := must(PlanSTFT[float32, complex64](s, 12, 1, Hann(4), 2))
	dct := must(PlanDCT[float32](s, 2, 12, 1))
	overlapping := must(y.Slice(0, 12))
	other := must(s.Device().NewStream())
	check(t, other.Close())
	plan := func(shape []int, batch int, o ...Option) error {
		_, err := PlanFFT[complex64](s, shape, batch, o...)
		return err
	}
	onlyError := func(_ any, err error) error { return err }
	const huge = 1 << 40
	for name, test := range map[string]struct {
		err  error
		want error
	}{
		"no stream":                 {onlyError(PlanFFT[complex64](nil, []int{4}, 1)), gpu.ErrShape},
		"closed stream":             {onlyError(PlanFFT[complex64](other, []int{4}, 1)), gpu.ErrClosed},
		"no dimension":              {plan(nil, 1), gpu.ErrShape},
		"four dimensions":           {plan([]int{1, 1, 1, 1}, 1), gpu.ErrShape},
		"negative size":             {plan([]int{-1}, 1), gpu.ErrShape},
		"negative batch":            {plan([]int{1}, -1), gpu.ErrShape},
		"huge size":                 {plan([]int{huge}, 1), gpu.ErrShape},
		"huge product":              {plan([]int{1 << 20, 1 << 20, 1 << 62}, 1), gpu.ErrShape},
		"huge batch":                {plan([]int{4}, math.MaxInt), gpu.ErrShape},
		"nil option":                {plan([]int{4}, 1, nil), gpu.ErrShape},
		"unknown normalization":     {plan([]int{4}, 1, Normalize(9)), gpu.ErrShape},
		"small distance":            {plan([]int{4}, 2, Distances(3, 4)), gpu.ErrShape},
		"negative distance":         {plan([]int{4}, 2, Distances(4, -4)), gpu.ErrShape},
		"huge distance":             {plan([]int{4}, 3, Distances(huge, 4)), gpu.ErrShape},
		"nil plan":                  {(*FFT[complex64])(nil).Forward(x, y), gpu.ErrShape},
		"zero plan":                 {new(FFT[complex64]).Inverse(x, y), gpu.ErrShape},
		"closed plan":               {fftClosed.Forward(x, y), gpu.ErrClosed},
		"nil input":                 {fft.Forward(nil, y), gpu.ErrShape},
		"nil output":                {fft.Forward(x, nil), gpu.ErrShape},
		"short input":               {fft.Forward(few, y), gpu.ErrShape},
		"short output":              {fft.Inverse(x, few), gpu.ErrShape},
		"closed input":              {fft.Forward(closed, y), gpu.ErrClosed},
		"overlapping":               {fft.Forward(overlapping, y), gpu.ErrAlias},
		"mixed types":               {onlyError(PlanRealFFT[float32, complex128](s, []int{4}, 1)), gpu.ErrShape},
		"real: short output":        {real.Forward(a, x), gpu.ErrShape},
		"real: nil":                 {real.Inverse(nil, b), gpu.ErrShape},
		"real: nil plan":            {(*RealFFT[float32, complex64])(nil).Forward(a, x), gpu.ErrShape},
		"convolution: 3 dimensions": {onlyError(PlanConvolution[float32](s, []int{1, 1, 1}, []int{1, 1, 1}, 1, Full)), gpu.ErrShape},
		"convolution: other kernel": {onlyError(PlanConvolution[float32](s, []int{1, 1}, []int{1}, 1, Full)), gpu.ErrShape},
		"convolution: huge kernel":  {onlyError(PlanConvolution[float32](s, []int{1}, []int{huge}, 1, Full)), gpu.ErrShape},
		"convolution: huge batch":   {onlyError(PlanConvolution[float32](s, []int{1 << 20}, []int{2}, 1<<11, Full)), gpu.ErrShape},
		"convolution: mode":         {onlyError(PlanConvolution[float32](s, []int{1}, []int{1}, 1, 3)), gpu.ErrShape},
		"convolution: method":       {onlyError(PlanConvolution[float32](s, []int{1}, []int{1}, 1, Full, By(-1))), gpu.ErrShape},
		"convolution: short kernel": {convolution.Convolve(a, six, b), gpu.ErrShape},
		"convolution: in place":     {convolution.Convolve(b, h, b), gpu.ErrAlias},
		"convolution: nil plan":     {(*Convolution[float32])(nil).Correlate(a, h, b), gpu.ErrShape},
		"convolution: zero plan":    {new(Convolution[float32]).Correlate(a, h, b), gpu.ErrShape},
		"STFT: no window":           {onlyError(PlanSTFT[float32, complex64](s, 12, 1, nil, 1)), gpu.ErrShape},
		"STFT: hop":                 {onlyError(PlanSTFT[float32, complex64](s, 12, 1, Hann(4), 0)), gpu.ErrShape},
		"STFT: mixed types":         {onlyError(PlanSTFT[float64, complex64](s, 12, 1, Hann(4), 1)), gpu.ErrShape},
		"STFT: huge":                {onlyError(PlanSTFT[float32, complex64](s, 1<<30, 1, Hann(1024), 1)), gpu.ErrShape},
		"STFT: short":               {stft.Forward(a, few), gpu.ErrShape},
		"DCT: kind":                 {onlyError(PlanDCT[float32](s, 1, 12, 1)), gpu.ErrShape},
		"DCT: huge":                 {onlyError(PlanDCT[float32](s, 4, 1<<30, 1)), gpu.ErrShape},
		"DCT: short":                {dct.Transform(a, h), gpu.ErrShape},
		"FIR: no stream":            {FIR(nil, h, a, b, 1, 1), gpu.ErrShape},
		"FIR: closed stream":        {FIR(other, h, a, b, 1, 1), gpu.ErrClosed},
		"FIR: no taps":              {FIR(s, none, a, b, 1, 1), gpu.ErrShape},
		"FIR: nil taps":             {FIR(s, nil, a, b, 1, 1), gpu.ErrShape},
		"FIR: channels":             {FIR(s, h, a, b, 5, 1), gpu.ErrShape},
		"FIR: no channel":           {FIR(s, h, a, b, 0, 1), gpu.ErrShape},
		"FIR: decimation":           {FIR(s, h, a, b, 1, 0), gpu.ErrShape},
		"FIR: long output":          {FIR(s, h, a, b, 1, 2), gpu.ErrShape},
		"FIR: in place":             {FIR(s, h, b, b, 1, 1), gpu.ErrAlias},
		"sections: five":            {Sections(s, must(six.Slice(0, 5)), h, a, b, 1), gpu.ErrShape},
		"sections: state":           {Sections(s, six, h, a, b, 1), gpu.ErrShape},
		"sections: nil":             {Sections(s, nil, h, a, b, 1), gpu.ErrShape},
		"window: none":              {ApplyWindow(s, none, b), gpu.ErrShape},
		"window: nil":               {ApplyWindow(s, h, nil), gpu.ErrShape},
		"window: rows":              {ApplyWindow(s, must(six.Slice(0, 5)), b), gpu.ErrShape},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: got %v, want %v", name, test.err, test.want)
		}
		var shape *gpu.ShapeError
		if test.want == gpu.ErrShape && !errors.As(test.err, &shape) {
			t.Errorf("%s: %v is no gpu.ShapeError", name, test.err)
		}
	}
	if got := read(t, s, y); slices.ContainsFunc(got, func(v complex64) bool { return v != 7 }) {
		t.Errorf("a result has changed: %v", got)
	}
	if got := read(t, s, b); slices.ContainsFunc(got, func(v float32) bool { return v != 7 }) {
		t.Errorf("a result has changed: %v", got)
	}
}

// TestEmpty: sizes of zero are no error.
func TestEmpty(t *testing.T) {
	s := stream(t, gpu.CPU)
	x, a := buffer(t, s, []complex64{}), buffer(t, s, []float32{})
	for _, shape := range [][]int{{0}, {0, 5}, {5, 0}, {5, 0, 3}} {
		for batch := range 3 {
			plan := must(PlanFFT[complex64](s, shape, batch))
			check(t, errors.Join(plan.Forward(x, x), plan.Inverse(x, x), plan.Close(), plan.Close()))
			real := must(PlanRealFFT[float32, complex64](s, shape, batch))
			check(t, errors.Join(real.Forward(a, x), real.Inverse(x, a), real.Close()))
		}
	}
	check(t, must(PlanFFT[complex64](s, []int{7}, 0)).Forward(x, x))
	check(t, must(PlanDCT[float32](s, 3, 0, 4)).Transform(a, a))
	check(t, FIR(s, buffer(t, s, []float32{1}), a, a, 0, 1))
	check(t, ApplyWindow(s, a, a))
	check(t, s.Wait(t.Context()))
}

// FuzzArguments calls everything with arguments of all kinds. Nothing may panic.
func FuzzArguments(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := stream(t, gpu.CPU)
		r := rand.New(rand.NewPCG(seed, 5))
		for range 10 {
			if err := randomCall(s, r); err != nil && !errors.Is(err, gpu.ErrShape) && !errors.Is(err, gpu.ErrAlias) && !errors.Is(err, gpu.ErrLimit) && !errors.Is(err, gpu.ErrOutOfMemory) {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		check(t, s.Wait(t.Context()))
	})
}

// randomCall makes a plan and runs it, with sizes that often fit each other.
func randomCall(s *gpu.Stream, r *rand.Rand) error {
	n := func() int {
		return []int{0, 1, 2, 3, 5, 8, 16, 17, 30, 100, 256, -1, math.MaxInt, 1 << 31}[min(r.IntN(30), 13)%(11+3*r.IntN(2))]
	}
	some := func() *gpu.Buffer[float32] { return must(gpu.Alloc[float32](s, max(0, min(n(), 300)))) }
	of := func(n int) *gpu.Buffer[float32] {
		if n < 0 || n > 1<<20 || r.IntN(8) == 0 {
			return some()
		}
		return must(gpu.Alloc[float32](s, n))
	}
	pairs := func(n int) *gpu.Buffer[complex64] {
		if n < 0 || n > 1<<20 || r.IntN(8) == 0 {
			n = r.IntN(50)
		}
		return must(gpu.Alloc[complex64](s, n))
	}
	shape := make([]int, r.IntN(5))
	for d := range shape {
		shape[d] = n()
	}
	options := []Option{Normalize(Normalization(r.IntN(5))), Distances(n(), n()), By(Method(r.IntN(4)))}[r.IntN(3):]
	switch r.IntN(8) {
	case 0:
		plan, err := PlanFFT[complex64](s, shape, n(), options...)
		if err != nil {
			return err
		}
		return errors.Join(plan.Forward(pairs(plan.timeLength), pairs(plan.frequencyLength)), plan.Close())
	case 1:
		plan, err := PlanRealFFT[float32, complex64](s, shape, n(), options...)
		if err != nil {
			return err
		}
		return errors.Join(plan.Inverse(pairs(plan.frequencyLength), of(plan.timeLength)), plan.Close())
	case 2:
		kernel := slices.Clone(shape)
		for d := range kernel {
			kernel[d] = n()
		}
		plan, err := PlanConvolution[float32](s, shape, kernel, n(), Mode(r.IntN(4)), options...)
		if err != nil {
			return err
		}
		return errors.Join(plan.Convolve(of(plan.signalLength), of(plan.kernelLength), of(plan.resultLength)), plan.Close())
	case 3:
		plan, err := PlanSTFT[float32, complex64](s, n(), n(), Hann(r.IntN(40)), n(), options...)
		if err != nil {
			return err
		}
		return errors.Join(plan.Forward(of(plan.signal), pairs(plan.spectrum)), plan.Inverse(pairs(plan.spectrum), of(plan.signal)), plan.Close())
	case 4:
		plan, err := PlanDCT[float32](s, r.IntN(6), n(), n(), options...)
		if err != nil {
			return err
		}
		return errors.Join(plan.Transform(of(plan.length), of(plan.length)), plan.Close())
	case 5:
		return FIR(s, some(), some(), some(), n(), n())
	case 6:
		return Sections(s, of(6*r.IntN(4)), some(), some(), some(), n())
	}
	return ApplyWindow(s, some(), some())
}
