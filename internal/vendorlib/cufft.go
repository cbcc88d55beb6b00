package vendorlib

import (
	"errors"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// FFT is a plan of cuFFT. The names and codes are those of cufft.h.
type FFT struct {
	f struct {
		PlanMany  uintptr `c:"cufftPlanMany"`
		SetStream uintptr `c:"cufftSetStream"`
		Destroy   uintptr `c:"cufftDestroy"`
		C2C       uintptr `c:"cufftExecC2C"`
		Z2Z       uintptr `c:"cufftExecZ2Z"`
		R2C       uintptr `c:"cufftExecR2C"`
	}
	plan   int32
	kind   Transform
	stream *gpu.Stream
}

// Transform is a cufftType.
type Transform uintptr

// The transforms.
const (
	R2C Transform = 0x2a
	C2C Transform = 0x29
	Z2Z Transform = 0x69
)

// PlanFFT plans transforms of contiguous arrays with the given extents, slowest first.
func PlanFFT(s *gpu.Stream, kind Transform, batch int, extents ...int32) (*FFT, error) {
	library, err := open("libcufft.so.12", "libcufft.so.11", "libcufft.so")
	if err != nil {
		return nil, err
	}
	p := &FFT{stream: s, kind: kind}
	if err := dl.Fill(&p.f, library.Symbol); err != nil {
		return nil, err
	}
	err = s.Enqueue(func(stream uintptr, _ []uintptr) error {
		return errors.Join(
			failed("cufftPlanMany", dl.Call(p.f.PlanMany, uintptr(unsafe.Pointer(&p.plan)), uintptr(len(extents)), uintptr(unsafe.Pointer(&extents[0])),
				0, 1, 0, 0, 1, 0, uintptr(kind), uintptr(batch))),
			failed("cufftSetStream", dl.Call2(p.f.SetStream, uintptr(p.plan), stream)))
	})
	return p, err
}

// Run enqueues a forward transform.
func (p *FFT) Run(dst, src gpu.Bound) error {
	return p.stream.Enqueue(func(_ uintptr, at []uintptr) error {
		const forward = ^uintptr(0)
		switch p.kind {
		case R2C:
			return failed("cufftExecR2C", dl.Call3(p.f.R2C, uintptr(p.plan), at[1], at[0]))
		case Z2Z:
			return failed("cufftExecZ2Z", dl.Call4(p.f.Z2Z, uintptr(p.plan), at[1], at[0], forward))
		}
		return failed("cufftExecC2C", dl.Call4(p.f.C2C, uintptr(p.plan), at[1], at[0], forward))
	}, dst, src)
}

// Close gives the plan back.
func (p *FFT) Close() error {
	return p.stream.Enqueue(func(uintptr, []uintptr) error {
		return failed("cufftDestroy", dl.Call1(p.f.Destroy, uintptr(p.plan)))
	})
}
