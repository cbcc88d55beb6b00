package gpu_test

import (
	"context"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// kernels is the tests' kernel by target.
var kernels = map[abi.Target]*abi.Artefact{abi.SPIRV: drivertest.Axpy("spirv"), abi.PTX: drivertest.AxpyPTX()}

// onEveryDevice runs a test on each device that the kernel exists for.
func onEveryDevice(t *testing.T, run func(t *testing.T, d *gpu.Device, k *gpu.Kernel)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Error(err)
	}
	tested := 0
	for _, info := range infos {
		artefact := kernels[info.Target]
		if artefact == nil {
			continue
		}
		tested++
		t.Run(info.ID(), func(t *testing.T) {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				t.Fatal(err)
			}
			k, err := d.Load(artefact)
			if err != nil {
				t.Fatal(err)
			}
			run(t, d, k)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if tested == 0 {
		t.Skip("skipped: no CUDA or Vulkan device (lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1, is one)")
	}
}

// ready returns a stream and arguments for the smallest launch.
func ready(t testing.TB, d *gpu.Device, k *gpu.Kernel) (*gpu.Stream, *gpu.Args) {
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	args := k.Args()
	for i, n := range []int{64, 64, 1} {
		buffer, err := gpu.Alloc[float32](d, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := args.Set(i, buffer); err != nil {
			t.Fatal(err)
		}
	}
	return s, args
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	onEveryDevice(t, func(t *testing.T, d *gpu.Device, k *gpu.Kernel) {
		s, args := ready(t, d, k)
		const launches = 1000
		n := testing.AllocsPerRun(5, func() {
			for range launches {
				if err := s.Launch(args, gpu.D1(1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
		if n > launches/100 {
			t.Errorf("%d launches and a wait allocate %v times", launches, n)
		}
	})
}

func BenchmarkLaunch(b *testing.B) {
	infos, err := gpu.Devices()
	if err != nil {
		b.Error(err)
	}
	for _, info := range infos {
		artefact := kernels[info.Target]
		if artefact == nil {
			continue
		}
		b.Run(info.Driver, func(b *testing.B) {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			k, err := d.Load(artefact)
			if err != nil {
				b.Fatal(err)
			}
			s, args := ready(b, d, k)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Launch(args, gpu.D1(1)); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Wait(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
