package gpu_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
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

// roundTrip uploads, launches twice and reads back.
func roundTrip(d *gpu.Device, k *gpu.Kernel, s *gpu.Stream, n int, factor float32) error {
	ctx := context.Background()
	host := make([]float32, n)
	for i := range host {
		host[i] = float32(i)
	}
	x, err := gpu.Upload(ctx, d, host)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := gpu.Alloc[float32](d, n)
	if err != nil {
		return err
	}
	defer y.Close()
	a, err := gpu.Upload(ctx, d, []float32{factor})
	if err != nil {
		return err
	}
	defer a.Close()
	args := k.Args()
	for i, b := range []gpu.Bound{x, y, a} {
		if err := args.Set(i, b); err != nil {
			return err
		}
	}
	for range 2 {
		if err := s.Launch(args, k.Cover(uint32(n), 1, 1)); err != nil {
			return err
		}
	}
	got := make([]float32, n)
	if err := y.Read(ctx, s, got); err != nil {
		return err
	}
	for i, v := range got {
		if want := 2 * factor * float32(i); v != want {
			return fmt.Errorf("element %d of %d: got %v, want %v", i, n, v, want)
		}
	}
	return nil
}

func TestRoundTrips(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d *gpu.Device, k *gpu.Kernel) {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 64, 65, 1000, 100_000} {
			if err := roundTrip(d, k, s, n, 0.5); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestConcurrentRoundTrips(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d *gpu.Device, k *gpu.Kernel) {
		stop := make(chan struct{})
		var collector, workers sync.WaitGroup
		collector.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		})
		for worker := range 8 {
			workers.Go(func() {
				s, err := d.NewStream()
				if err != nil {
					t.Error(err)
					return
				}
				for round := range 20 {
					if err := roundTrip(d, k, s, 50+100*worker+round, float32(worker)); err != nil {
						t.Errorf("worker %d: %v", worker, err)
						return
					}
				}
			})
		}
		workers.Wait()
		close(stop)
		collector.Wait()
	})
}

// TestUnclosed leaves everything to the collector and the device's Close.
func TestUnclosed(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d *gpu.Device, k *gpu.Kernel) {
		for range 100 {
			s, err := d.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			b, err := gpu.Alloc[float32](d, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Write(s, make([]float32, 1<<20)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Record(); err != nil {
				t.Fatal(err)
			}
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		if err := roundTrip(d, k, s, 1000, 1); err != nil {
			t.Error(err)
		}
	})
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
