package vendorlib

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file compares the CPU device with libraries for the processor, which use all of its cores,
// too: OpenBLAS and FFTW.

// ProcessorBLAS is OpenBLAS. Matrices are in rows without gaps.
type ProcessorBLAS struct{ gemm, gemv, dot uintptr }

// OpenProcessorBLAS opens the library.
func OpenProcessorBLAS() (*ProcessorBLAS, error) {
	library, err := open("libopenblas.so.0", "libopenblas.so")
	if err != nil {
		return nil, err
	}
	threads := library.Symbol("openblas_set_num_threads")
	v := &ProcessorBLAS{library.Symbol("sgemm_"), library.Symbol("sgemv_"), library.Symbol("sdot_")}
	if threads == 0 || v.gemm == 0 || v.gemv == 0 || v.dot == 0 {
		return nil, fmt.Errorf("%s lacks functions", library.Name())
	}
	dl.Call(threads, uintptr(runtime.NumCPU()))
	return v, nil
}

// The arguments of the functions are addresses, in the order of Fortran, whose matrices are in
// columns. So factors of a product are exchanged.
var (
	none, transposed = [1]byte{'N'}, [1]byte{'T'}
	one, zero        = float32(1), float32(0)
	each             = int32(1)
)

// Gemm makes c = a·b for square matrices of n rows.
func (v *ProcessorBLAS) Gemm(n int, a, b, c []float32) error {
	size := int32(n)
	dl.Call(v.gemm, uintptr(unsafe.Pointer(&none)), uintptr(unsafe.Pointer(&none)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&size)),
		uintptr(unsafe.Pointer(&one)), uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&size)),
		uintptr(unsafe.Pointer(&zero)), uintptr(unsafe.Pointer(&c[0])), uintptr(unsafe.Pointer(&size)))
	return nil
}

// Gemv makes y = a·x for a square matrix of n rows.
func (v *ProcessorBLAS) Gemv(n int, a, x, y []float32) error {
	size := int32(n)
	dl.Call(v.gemv, uintptr(unsafe.Pointer(&transposed)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&one)),
		uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&each)),
		uintptr(unsafe.Pointer(&zero)), uintptr(unsafe.Pointer(&y[0])), uintptr(unsafe.Pointer(&each)))
	return nil
}

// Dot makes the sum of the products of elements, and does not return it.
func (v *ProcessorBLAS) Dot(x, y []float32) error {
	n := int32(len(x))
	dl.Call(v.dot, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&each)), uintptr(unsafe.Pointer(&y[0])), uintptr(unsafe.Pointer(&each)))
	return nil
}

// FFTW is a plan of the library for forward transforms. Slices are those that it was made for.
type FFTW struct {
	library       *dl.Library
	plan, execute uintptr
	slices        [2][]complex64
}

// PlanFFTW plans batch transforms of x to y with all cores, by measurements.
func PlanFFTW(batch int, x, y []complex64, shape ...int32) (*FFTW, error) {
	const forward, measure = -1, 0
	library, err := open("libfftw3f.so.3")
	if err != nil {
		return nil, err
	}
	threads, err := open("libfftw3f_threads.so.3")
	if err != nil {
		return nil, err
	}
	plan, execute := library.Symbol("fftwf_plan_many_dft"), library.Symbol("fftwf_execute")
	initialise, with := threads.Symbol("fftwf_init_threads"), threads.Symbol("fftwf_plan_with_nthreads")
	if plan == 0 || execute == 0 || initialise == 0 || with == 0 {
		return nil, fmt.Errorf("%s lacks functions", library.Name())
	}
	dl.Call(initialise)
	dl.Call(with, uintptr(runtime.NumCPU()))
	size := uintptr(1)
	for _, n := range shape {
		size *= uintptr(n)
	}
	f := &FFTW{library: library, execute: execute, slices: [2][]complex64{x, y}}
	direction := int32(forward)
	f.plan = dl.Call(plan, uintptr(len(shape)), uintptr(unsafe.Pointer(&shape[0])), uintptr(batch),
		uintptr(unsafe.Pointer(&x[0])), 0, 1, size, uintptr(unsafe.Pointer(&y[0])), 0, 1, size, uintptr(uint32(direction)), measure)
	if f.plan == 0 {
		return nil, errors.New("FFTW has no plan")
	}
	return f, nil
}

// Run transforms.
func (f *FFTW) Run() error {
	dl.Call1(f.execute, f.plan)
	runtime.KeepAlive(f.slices)
	return nil
}

// CompareOnProcessor times ours, with waiting for the stream, and theirs, by the wall clock, and
// reports the ratio of medians as Compare does.
func CompareOnProcessor(b *testing.B, s *gpu.Stream, ours, theirs func() error) {
	b.Helper()
	const rounds, enough = 15, 50 * time.Millisecond
	// OpenBLAS's threads keep cores busy after a call, and cores that were idle are slow for a
	// while.
	const idle = 200 * time.Millisecond
	ways := [2]func() error{func() error { return errors.Join(ours(), s.Wait(b.Context())) }, theirs}
	var times [2][]time.Duration
	for range rounds {
		for n, way := range ways {
			time.Sleep(idle)
			runs, start := 0, time.Now()
			for time.Since(start) < enough {
				if err := way(); err != nil {
					b.Fatal(err)
				}
				runs++
			}
			times[n] = append(times[n], time.Since(start)/time.Duration(runs))
		}
	}
	for b.Loop() { // what is reported is measured above
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[1][rounds/2])/float64(times[0][rounds/2]), "of-library")
	b.ReportMetric(float64(times[0][rounds/2].Nanoseconds())/1e3, "µs")
}
