package strict

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/gpu"
)

var cost = flag.Bool("cost", false, "measure what strict arithmetic costs for each operation")

// costly are the operations that are measured.
var costly = []string{"add.f32", "mul.f32", "div.f32", "sqrt.f32", "fma.f32", "min.f32", "sign.f32", "fract.f32", "quantize_f16",
	"add.f64", "div.f64", "sqrt.f64", "fma.f64", "min.f64"}

const turns = 64

// chain is a kernel that applies an operation to its own result, with the kernel's other inputs.
func (o *Operation) chain() *ir.Module {
	k := newKernel()
	x := make([]ir.Value, len(o.In))
	for n, kind := range o.In {
		x[n] = k.input(kind)
	}
	carried := k.Var(ir.Type(o.Out), "v")
	k.Store(carried, x[0])
	k.Count(turns, func(ir.Value) {
		k.Store(carried, o.Build(k.Builder, append([]ir.Value{k.Load(carried)}, x[1:]...)))
	})
	k.output(k.Load(carried), o.Out)
	k.Return(0)
	return k.module
}

// TestCost prints picoseconds of a device for one operation, of numbers that no path for special
// ones takes.
func TestCost(t *testing.T) {
	if !*cost {
		t.Skip("skipped: it measures and checks nothing; -cost prints what each operation costs on the devices")
	}
	eachDevice(t, func(t *testing.T, d *gpu.Device) {
		const n = 1 << 20
		for at := range Operations {
			o := &Operations[at]
			if !strings.Contains(","+strings.Join(costly, ",")+",", ","+o.Name+",") {
				continue
			}
			var times [2]time.Duration
			for m, mode := range []ir.Math{ir.MathWGSL, ir.MathStrict} {
				k, err := Load(d, o.chain(), mode, true)
				if errors.Is(err, ErrLacks) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				times[m] = timed(t, d, k, o, n)
				k.Close()
			}
			per := func(x time.Duration) float64 { return float64(x.Nanoseconds()) * 1000 / n / turns }
			fmt.Printf("| %s | %s | %.2f | %.2f | %.1f |\n", d.Info().ID(), o.Name, per(times[0]), per(times[1]), float64(times[1])/float64(max(times[0], 1)))
		}
	})
}

// timed returns the least time of a launch.
func timed(t *testing.T, d *gpu.Device, k *gpu.Kernel, o *Operation, n int) (best time.Duration) {
	ctx := context.Background()
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := d.NewStream()
	must(err)
	defer stream.Close()
	arguments := k.Args()
	for a, kind := range append(o.In[:len(o.In):len(o.In)], o.Out) {
		column := make([]uint64, n)
		for i := range column {
			column[i] = scalar.FromFloat64(kind, 1+float64(i%1000)/997+float64(a)/3)
		}
		b, err := gpu.Upload(ctx, d, pack(kind, column))
		must(err)
		defer b.Close()
		must(arguments.Set(a, b))
	}
	for range 12 {
		before, err := stream.Record()
		must(err)
		must(stream.Launch(arguments, gpu.Grid{X: uint32(n / workgroup), Y: 1, Z: 1}))
		after, err := stream.Record()
		must(err)
		must(after.Wait(ctx))
		took, err := after.Since(before)
		must(err)
		if best == 0 || took < best {
			best = took
		}
		before.Close()
		after.Close()
	}
	return best
}
