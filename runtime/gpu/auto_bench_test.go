package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// autoSource computes a polynomial many times for each element.
const autoSource = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&x) { return; }
  var v = x[id.x];
  for (var i = 0; i < 32; i++) { v = v * 0.5 + 0.25; }
  x[id.x] = v;
}
`

// autoWork is the work on one device, with its buffers, or as plain Go.
type autoWork struct {
	device *gpu.Device
	stream *gpu.Stream
	kernel *gpu.Kernel
	buffer map[int]*gpu.Buffer[float32]
	args   map[int]*gpu.Args
}

func newAutoWork(b *testing.B, d *gpu.Device) *autoWork {
	w := &autoWork{device: d, buffer: map[int]*gpu.Buffer[float32]{}, args: map[int]*gpu.Args{}}
	if d == gpu.PlainGo {
		return w
	}
	program, err := jit.Parse("auto.wgsl", autoSource, codegen.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w.kernel, err = program.Load(d, "main")
	if err != nil {
		b.Fatal(err)
	}
	if w.stream, err = d.NewStream(); err != nil {
		b.Fatal(err)
	}
	return w
}

// run does the work with the first n elements of x, which it writes, with copies to the device and
// back.
func (w *autoWork) run(ctx context.Context, x []float32, n int) error {
	if w.device == gpu.PlainGo {
		for i, v := range x[:n] {
			for range 32 {
				v = v*0.5 + 0.25
			}
			x[i] = v
		}
		return nil
	}
	if w.args[n] == nil {
		buffer, err := gpu.Alloc[float32](w.device, n)
		if err != nil {
			return err
		}
		w.buffer[n], w.args[n] = buffer, w.kernel.Args()
		if err := w.args[n].Set(0, buffer); err != nil {
			return err
		}
	}
	return errors.Join(w.buffer[n].Write(w.stream, x[:n]), w.stream.Launch(w.args[n], gpu.D1(uint32(n+63)/64)), w.buffer[n].Read(ctx, w.stream, x[:n]))
}

// BenchmarkAuto measures the choice among plain Go, the CPU device and all GPUs, for a kernel with
// its copies. Then the ways run at half and at twice the size of each threshold, each several times
// in a row, and in alternation. A GPU takes a third of a millisecond to go from one driver's work
// to another's, which no program with one of them pays.
//
// The metric "gain" is how many times as long the fastest of the other ways takes as the chosen
// one: a choice is right if it is at least 1. The benchmark logs what Explain says.
//
//	go test ./runtime/gpu -run '^$' -bench 'Auto$' -benchtime 20x -v
func BenchmarkAuto(b *testing.B) {
	b.Setenv("GPUC_CACHE", "off")
	infos, _ := gpu.Devices()
	devices := []*gpu.Device{gpu.PlainGo}
	for _, info := range infos {
		if info.Kind != driver.GPU && info.ID() != "cpu:0" {
			continue
		}
		d, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		devices = append(devices, d)
	}
	const most, inRow = 1 << 24, 10
	works := map[*gpu.Device]*autoWork{}
	for _, d := range devices {
		works[d] = newAutoWork(b, d)
	}
	x := make([]float32, most)
	auto, err := gpu.NewAuto("benchmark", devices...)
	if err != nil {
		b.Fatal(err)
	}
	run := func(ctx context.Context, d *gpu.Device, n int) error { return works[d].run(ctx, x, n) }
	if err := auto.Measure(b.Context(), 10*time.Second, 1, most, run); err != nil {
		b.Fatal(err)
	}
	b.Log(auto.Explain(most))
	for n := 1; n < most; {
		// the next threshold
		low, high := n, most
		if auto.For(low) == auto.For(high) {
			break
		}
		for below := auto.For(low); high-low > 1; {
			if middle := low + (high-low)/2; auto.For(middle) == below {
				low = middle
			} else {
				high = middle
			}
		}
		for _, size := range []int{max(high/2, 1), min(2*high, most)} {
			b.Run(fmt.Sprintf("threshold=%d/n=%d", high, size), func(b *testing.B) {
				times := make([][]time.Duration, len(devices))
				for b.Loop() {
					for k, d := range devices {
						var from time.Time
						for n := range 1 + inRow {
							if n == 1 { // the first one is not counted
								from = time.Now()
							}
							if err := run(b.Context(), d, size); err != nil {
								b.Fatal(err)
							}
						}
						times[k] = append(times[k], time.Since(from)/inRow)
					}
				}
				var chosen, other time.Duration
				for k, d := range devices {
					slices.Sort(times[k])
					median := times[k][len(times[k])/2]
					switch {
					case d == auto.For(size):
						chosen = median
					case other == 0 || median < other:
						other = median
					}
				}
				b.ReportMetric(float64(other)/float64(chosen), "gain")
				b.ReportMetric(float64(chosen.Nanoseconds()), "ns/chosen")
			})
		}
		n = high
	}
}
