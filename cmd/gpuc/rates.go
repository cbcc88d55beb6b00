package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file says how fast a kernel is: the times of its repetitions, and the bytes and operations
// of each.

// clocks says what measured the times, by driver.
var clocks = diag.Words{
	{gpu.CPU, "the host's clock"}, {gpu.CUDA, "the device's events"}, {gpu.ROCm, "the device's events"},
	{gpu.Vulkan, "the device's timestamps"}, {gpu.Metal, "the device's clock"},
}

// statistics are those of repetitions.
type statistics struct{ fastest, median, p95, slowest time.Duration }

// summarize sorts the times into order of size first. The 95th percentile is the smallest time that
// 95 of 100 do not exceed (nearest rank); of fewer than 20 that is the slowest.
func summarize(times []time.Duration) statistics {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return statistics{sorted[0], sorted[n/2], sorted[(95*n+99)/100-1], sorted[n-1]}
}

// countLimit is how long the interpreter may take to count where nobody asked for it.
const countLimit = 10 * time.Second

// count executes the launch on the interpreter, with counters in the kernel. What is counted is the
// code that the portable passes leave, whatever the device makes of it.
func (r *runFlags) count(p *program, in *inputs, grid gpu.Grid, extent []uint32, info gpu.Info) (*counters.Counts, error) {
	m := p.module.Clone()
	list := new(diag.List)
	kernel := codegen.Prepare(m, in.kernel.Name, r.settings, &codegen.DeviceLimits, list)
	if kernel == nil {
		return nil, errors.New("the kernel does not compile for the interpreter")
	}
	c := opt.Context{List: list}
	holds := c.Run(m, passesNamed("remove-printf"), ir.Initial)
	c.Run(m, opt.Standard, holds)
	t := counters.Instrument(m, kernel)
	program, err := interp.Compile(m, kernel)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if r.counts != countAlways {
		limited, cancel := context.WithTimeout(ctx, countLimit)
		defer cancel()
		ctx = limited
	}
	launch := interp.Launch{Grid: [3]uint32{grid.X, grid.Y, grid.Z}, Context: ctx, Immediates: make([]byte, program.Immediates())}
	copy(launch.Immediates, in.immediates)
	if extent != nil {
		launch.Extent = full(extent)
	}
	if n := int(info.SubgroupSize); n > 0 && n <= interp.MaxSubgroupSize && n&(n-1) == 0 {
		launch.SubgroupSize = n
	}
	buffer := alignedBytes(uint64(t.Bytes()))
	for _, b := range program.Bindings() {
		if b.Name == counters.Name {
			launch.Buffers = append(launch.Buffers, buffer)
			continue
		}
		for i := range in.kernel.Bindings {
			if other := &in.kernel.Bindings[i]; other.Group == b.Group && other.Binding == b.Binding {
				data := alignedBytes(uint64(len(in.buffers[i].bytes)))
				copy(data, in.buffers[i].bytes)
				launch.Buffers = append(launch.Buffers, data)
			}
		}
	}
	var traffic texture.Traffic // of all
	for _, h := range program.Handles() {
		for i := range in.kernel.Handles {
			if in.kernel.Handles[i].Name == h.Name {
				launch.Handles = append(launch.Handles, in.handles[i].forInterpreter(&traffic))
			}
		}
	}
	if _, err := program.Run(&launch); err != nil {
		return nil, err
	}
	counts := t.Sum(buffer)
	counts.AddTexels(&traffic)
	return &counts, nil
}

// forInterpreter is a copy of a texture, of which is counted what a launch reads and writes, or a
// sampler.
func (b *boundHandle) forInterpreter(traffic *texture.Traffic) texture.Handle {
	if b.image == nil {
		return texture.Handle{Sampler: &b.sampler}
	}
	return texture.Handle{Image: reformat(b.image, b.image.Format), Levels: b.image.Levels, Traffic: traffic}
}

// passesNamed is the pipeline of one pass.
func passesNamed(name string) []opt.Pass {
	for _, p := range codegen.Passes {
		if p.Name == name {
			return []opt.Pass{*p}
		}
	}
	panic("there is no pass " + name)
}

// alignedBytes makes zeroed memory at an address that suits atomics of 8 bytes.
func alignedBytes(size uint64) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}

// ratesText says what a launch does each second, at a time for each; at says which time that is.
func ratesText(c *counters.Counts, t time.Duration, at string) string {
	perSecond := func(n uint64) float64 { return float64(n) / max(t.Seconds(), 1e-9) }
	text := fmt.Sprintf("%sB/s, %sFLOP/s%s: %d bytes read, %d written, %d floating-point operations",
		metric(perSecond(c.Read+c.Written+c.TexelsRead+c.TexelsWritten)), metric(perSecond(c.Operations)), at, c.Read+c.TexelsRead, c.Written+c.TexelsWritten, c.Operations)
	if c.Texels > 0 {
		text += fmt.Sprintf(", %d of the bytes read and %d of those written by %d accesses of textures", c.TexelsRead, c.TexelsWritten, c.Texels)
	}
	if c.Uniform > 0 {
		text += fmt.Sprintf(", beside %d bytes read of uniform buffers, which caches serve", c.Uniform)
	}
	return text + "; counted on the interpreter"
}

// metric writes a number with a prefix of the SI.
func metric(x float64) string {
	for _, prefix := range []string{"", "k", "M", "G", "T"} {
		if x < 1000 || prefix == "T" {
			return fmt.Sprintf("%.3g %s", x, prefix)
		}
		x /= 1000
	}
	return ""
}

// The values of -count.
const (
	countAuto   = "auto"
	countAlways = "always"
	countNever  = "never"
)

// countFor counts where that is wanted. Why says why there are no counts.
func (r *runFlags) countFor(p *program, in *inputs, grid gpu.Grid, extent []uint32, info gpu.Info) (c *counters.Counts, why string) {
	if r.counts == countNever || r.counts == countAuto && r.repeat == 1 {
		return nil, ""
	}
	c, err := r.count(p, in, grid, extent, info)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("not counted: the interpreter takes more than %v; -count always waits for it", countLimit)
	case err != nil:
		return nil, fmt.Sprintf("not counted: %v", err)
	}
	return c, ""
}

// clockOf says what measured the times of a driver.
func clockOf(driver string) string {
	clock, _ := clocks.Find(driver)
	return cmp.Or(clock, "the device's clock")
}
