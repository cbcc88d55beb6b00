package cpu_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	codecpu "github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// artefact compiles a kernel for the CPU device.
func artefact(b *testing.B, name, text, entry string, settings []ir.Setting) *abi.Artefact {
	b.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		b.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		b.Fatal(err, list.Items())
	}
	a := codegen.Compile(m, entry, &codecpu.Target, &codegen.Options{Settings: settings}, &list)
	if a == nil {
		b.Fatal(list.Items())
	}
	return a
}

// processorTime returns how much time of processors the process has had. On a machine with other
// work, the time that passes says little.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// repeat is the loop of a benchmark, which reports the processors' time as well.
func repeat(b *testing.B, run func() error) {
	from := processorTime(b)
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-from)/float64(b.N), "cpu-ns/op")
}

// BenchmarkLoad loads each exec kernel, stage by stage and as the device does it.
func BenchmarkLoad(b *testing.B) {
	for _, c := range exectest.Cases() {
		text, err := os.ReadFile("../../../" + c.File())
		if err != nil {
			b.Fatal(err)
		}
		d := c.Dispatches[0]
		var settings []ir.Setting
		for _, s := range d.Overrides {
			settings = append(settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		a := artefact(b, c.File(), string(text), d.Entry, settings)
		m, f, _, err := lower.Read(d.Entry, a.Code)
		if err != nil {
			b.Fatal(err)
		}
		p, err := lower.Build(m, f)
		if err != nil {
			continue
		}
		if _, err := jit.Compile(p, jit.Options{}); err != nil {
			continue
		}
		for _, stage := range []struct {
			name string
			run  func() error
		}{
			{"read", func() error { _, _, _, err := lower.Read(d.Entry, a.Code); return err }},
			{"check", func() error { _, err := interp.Compile(m, f, interp.Defined); return err }},
			{"build", func() error { _, err := lower.Build(m, f); return err }},
			{"compile", func() error { _, err := jit.Compile(p, jit.Options{}); return err }},
			{"key", func() error { jit.Key(a.Code); return nil }},
		} {
			b.Run(c.Name+"/"+stage.name, func(b *testing.B) { repeat(b, stage.run) })
		}
		b.Run(c.Name+"/load", func(b *testing.B) {
			device, err := new(cpu.Driver).Open(cpu.Defined)
			if err != nil {
				b.Fatal(err)
			}
			defer device.Close()
			load := func() error {
				k, err := device.Load(a)
				if err == nil {
					err = k.Close()
				}
				return err
			}
			b.Run("text", func(b *testing.B) { repeat(b, load) })
			b.Run("memory", func(b *testing.B) {
				repeat(b, func() error {
					a.InMemory = abi.NewInMemory(m)
					return load()
				})
			})
		})
	}
}

// BenchmarkLaunch launches kernels with next to nothing to do: what remains is the launch.
func BenchmarkLaunch(b *testing.B) {
	a := artefact(b, "empty.wgsl", `@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { if (id.x == 0xffffffff) { y[id.x] = 1; } }`, "main", nil)
	for _, tier := range []cpu.Tier{cpu.Vector, cpu.JIT} {
		device, err := (&cpu.Driver{Tier: tier}).Open(cpu.Defined)
		if err != nil {
			b.Fatal(err)
		}
		k, err := device.Load(a)
		if err != nil {
			b.Fatal(err)
		}
		s, err := device.NewStream()
		if err != nil {
			b.Fatal(err)
		}
		memory, err := device.Alloc(1 << 10)
		if err != nil {
			b.Fatal(err)
		}
		for _, groups := range []uint32{1, 16, 1024} {
			l := driver.Launch{Kernel: k, Grid: [3]uint32{groups, 1, 1}, Bindings: []driver.Slice{{Memory: memory, Bytes: 1 << 10}}}
			name := tier.String() + "/" + map[uint32]string{1: "1", 16: "16", 1024: "1024"}[groups]
			b.Run(name+"/waited", func(b *testing.B) {
				b.ReportAllocs()
				repeat(b, func() error {
					if err := s.Launch(&l); err != nil {
						return err
					}
					return s.Wait(context.Background())
				})
			})
			b.Run(name+"/queued", func(b *testing.B) {
				b.ReportAllocs()
				repeat(b, func() error { return s.Launch(&l) })
				if err := s.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
		device.Close()
	}
}
