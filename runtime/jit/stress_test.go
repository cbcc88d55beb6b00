package jit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// The library under many goroutines, with the collector running all the time. In CI the race
// detector watches it; the whole of it is
//
//	go test -race ./runtime/jit -run TestStress -stress 100 -timeout 2h -v
//
// with a million launches and 100,000 buffers that nothing closes, on the CPU device and each
// software device of Vulkan. The programs here order all that they do, so that whatever the race
// detector says is about the library.

var stress = flag.Int("stress", 1, "how many times the work of the stress tests: with 100 a million launches and 100,000 buffers that nobody closes")

// stressGoroutines launch at the same time.
const stressGoroutines = 32

const stressSource = `
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> launches: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
  if g.x < arrayLength(&y) { y[g.x] = y[g.x] * 5u + x[g.x % arrayLength(&x)]; }
  if g.x == 0u { atomicAdd(&launches, 1u); }
}`

// stressed is a device with what the goroutines share.
type stressed struct {
	device   *gpu.Device
	kernel   *gpu.Kernel
	numbers  []uint32
	x        *gpu.Buffer[uint32]
	launches *gpu.Buffer[uint32]
}

// onStressed runs a test on each device that computes on this machine's processor, while the
// collector runs.
func onStressed(t *testing.T, run func(t *testing.T, s *stressed)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	program := must(jit.Parse("stress.wgsl", stressSource, codegen.Options{}))(t)
	for _, info := range infos {
		if info.Kind == driver.GPU || info.Target == abi.Checked {
			continue
		}
		t.Run(info.ID(), func(t *testing.T) {
			if info.Driver != "cpu" {
				testmode.Quick(t, "many launches on a software device are slow")
			}
			device := must(gpu.Open(gpu.Named(info.ID())))(t)
			s := &stressed{device: device, kernel: must(program.Load(device, "main"))(t), numbers: make([]uint32, 1000)}
			for i := range s.numbers {
				s.numbers[i] = rand.Uint32()
			}
			s.x = must(gpu.Upload(t.Context(), device, s.numbers))(t)
			s.launches = must(gpu.Alloc[uint32](device, 1))(t)
			var end atomic.Bool
			var collector sync.WaitGroup
			collections := 0
			collector.Go(func() {
				for !end.Load() {
					runtime.GC()
					collections++
				}
			})
			run(t, s)
			end.Store(true)
			collector.Wait()
			if err := device.Close(); err != nil {
				t.Error(err)
			}
			t.Logf("%d collections", collections)
		})
	}
}

// TestStressLaunches has all goroutines launch, each on a stream and with its own buffer,
// which it renews without closing every other one. The number of launches is counted by the kernel.
func TestStressLaunches(t *testing.T) {
	const most = 200 // elements
	onStressed(t, func(t *testing.T, s *stressed) {
		each := (testmode.Count(2000, 10_000, 10_000)**stress + stressGoroutines - 1) / stressGoroutines
		var group sync.WaitGroup
		for worker := range stressGoroutines {
			group.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(worker)))
				for left := each; left > 0; {
					launches := min(1+random.IntN(200), left)
					if err := s.work(random, launches, 1+random.IntN(most)); err != nil {
						t.Errorf("goroutine %d, with %d launches left: %v", worker, left, err)
						return
					}
					left -= launches
				}
			})
		}
		group.Wait()
		var counted [1]uint32
		if err := s.launches.Read(t.Context(), must(s.device.NewStream())(t), counted[:]); err != nil {
			t.Fatal(err)
		}
		if want := uint32(each * stressGoroutines); counted[0] != want {
			t.Errorf("the kernel has counted %d launches of %d", counted[0], want)
		}
		t.Logf("%d launches", counted[0])
	})
}

// work launches on a stream and a buffer that it makes, in each of the ways that there are, and
// compares what comes out.
func (s *stressed) work(random *rand.Rand, launches, elements int) error {
	ctx := context.Background()
	stream, err := s.device.NewStream()
	if err != nil {
		return err
	}
	want := make([]uint32, elements)
	for i := range want {
		want[i] = random.Uint32()
	}
	y, err := gpu.Upload(ctx, s.device, want)
	if err != nil {
		return err
	}
	args := s.kernel.Args()
	if err := errors.Join(args.Bind("x", s.x), args.Bind("y", y), args.Bind("launches", s.launches)); err != nil {
		return err
	}
	grid := s.kernel.Cover(uint32(elements), 1, 1)
	for range launches {
		for i := range want {
			want[i] = want[i]*5 + s.numbers[i%len(s.numbers)]
		}
		switch random.IntN(16) {
		case 0:
			err = stream.Run(s.kernel, grid, s.x, y, s.launches)
		case 1: // replaces a buffer that earlier launches still use
			next, failure := gpu.Alloc[uint32](s.device, elements)
			if failure != nil {
				return failure
			}
			if err = errors.Join(gpu.Copy(stream, next, y), args.Bind("y", next), stream.Launch(args, grid)); random.IntN(2) == 0 {
				err = errors.Join(err, y.Close())
			}
			y = next
		case 2:
			event, failure := stream.Record()
			if failure != nil {
				return failure
			}
			err = errors.Join(stream.Launch(args, grid), event.Wait(ctx))
		case 3:
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if err := stream.Wait(ended); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("a wait whose context has ended: %v", err)
			}
			err = stream.Launch(args, grid)
		default:
			err = stream.Launch(args, grid)
		}
		if err != nil {
			return err
		}
	}
	got := make([]uint32, elements)
	if err := y.Read(ctx, stream, got); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("after %d launches over %d elements: wrong numbers", launches, elements)
	}
	if random.IntN(2) == 0 {
		return errors.Join(stream.Close(), y.Close())
	}
	return nil
}

// TestStressClose closes a buffer while two streams launch with it. A launch either happens whole
// or says that what it takes is closed.
func TestStressClose(t *testing.T) {
	onStressed(t, func(t *testing.T, s *stressed) {
		ctx := context.Background()
		done := [2]int{}
		for round := range testmode.Count(10, 100, 100) * *stress {
			x := must(gpu.Upload(ctx, s.device, s.numbers))(t)
			var group sync.WaitGroup
			var started sync.WaitGroup
			started.Add(len(done))
			for worker := range done {
				group.Go(func() {
					stream, y := must(s.device.NewStream())(t), must(gpu.Alloc[uint32](s.device, 64))(t)
					defer stream.Close()
					defer y.Close()
					args := s.kernel.Args()
					if err := errors.Join(args.Set(0, x), args.Set(1, y), args.Set(2, s.launches)); err != nil {
						t.Error(err)
					}
					started.Done()
					launches, want, got := 0, uint32(0), make([]uint32, 64)
					for launches < 1000 {
						err := stream.Launch(args, gpu.D1(1))
						if errors.Is(err, gpu.ErrClosed) {
							break
						} else if err != nil {
							t.Errorf("round %d: %v", round, err)
							break
						}
						launches, want = launches+1, want*5+s.numbers[63]
					}
					if err := y.Read(ctx, stream, got); err != nil || got[63] != want {
						t.Errorf("round %d: %d after %d launches, want %d (%v)", round, got[63], launches, want, err)
					}
					done[worker] += launches
				})
			}
			started.Wait()
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			group.Wait()
		}
		t.Logf("%d and %d launches before the buffer was closed", done[0], done[1])
	})
}

// TestStressUnclosed makes buffers that nothing closes, each of which a launch uses, and streams
// with work that nothing waits for. It says how much memory the process took: all buffers together
// would be a gigabyte, and more where there are many small ones.
func TestStressUnclosed(t *testing.T) {
	const most = 768 << 20
	elements := 1 << 18 / min(*stress, 16)
	onStressed(t, func(t *testing.T, s *stressed) {
		peakMemory(t)
		before := peakMemory(t)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				args := s.kernel.Args()
				if err := errors.Join(args.Set(0, s.x), args.Set(2, s.launches)); err != nil {
					t.Error(err)
					return
				}
				var stream *gpu.Stream
				for n := range testmode.Count(50, 250, 250) * *stress {
					var err error
					if n%10 == 0 {
						stream, err = s.device.NewStream()
					}
					var y *gpu.Buffer[uint32]
					if err == nil {
						y, err = gpu.Alloc[uint32](s.device, elements)
					}
					if err == nil {
						err = errors.Join(args.Set(1, y), stream.Launch(args, gpu.D1(1)))
					}
					if err == nil && n%100 == 99 {
						last, got := must(y.Slice(0, 64))(t), make([]uint32, 64)
						if err = last.Read(t.Context(), stream, got); err == nil && !slices.Equal(got, s.numbers[:64]) {
							err = errors.New("wrong numbers")
						}
					}
					if err != nil {
						t.Errorf("buffer %d: %v", n, err)
						return
					}
				}
			})
		}
		group.Wait()
		if peak := peakMemory(t); before > 0 && peak > before+most {
			t.Errorf("the process rose from %d to %d MB", before>>20, peak>>20)
		} else {
			t.Logf("the process rose from %d to %d MB", before>>20, peak>>20)
		}
	})
}

// peakMemory returns the most bytes that the process had in memory since the last call, or 0 where
// the system does not say.
func peakMemory(t *testing.T) (bytes uint64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); err == nil {
			bytes <<= 10
			break
		}
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Logf("the peak of memory is that of the process's life: %v", err)
	}
	return bytes
}
