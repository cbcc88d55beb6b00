package kernelrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// clocks says, by driver, which clock measures the times.
var clocks = diag.Words{
	{gpu.CPU, "the host's clock"}, {gpu.CUDA, "the device's events"}, {gpu.ROCm, "the device's events"},
	{gpu.Vulkan, "the device's timestamps"}, {gpu.Metal, "the device's clock"},
}

// statistics summarise measured times.
type statistics struct{ fastest, median, p95, slowest time.Duration }

// summarize returns the statistics of one or more times. The 95th percentile is by nearest rank:
// the smallest time that 95 of 100 times do not exceed.
func summarize(times []time.Duration) statistics {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return statistics{sorted[0], sorted[n/2], sorted[(95*n+99)/100-1], sorted[n-1]}
}

// countLimit is the time limit of counting with CountAuto.
const countLimit = 10 * time.Second

// count executes the launch on the interpreter, with counters in the kernel. It counts the code
// after the portable passes.
func (r *runner) count(grid gpu.Grid, extent []uint32, info gpu.Info) (*counters.Counts, error) {
	in := r.in
	m := r.p.Module.Clone()
	list := new(diag.List)
	kernel := codegen.Prepare(m, in.Kernel.Name, r.Settings, &codegen.DeviceLimits, list)
	if kernel == nil {
		return nil, errors.New("the kernel does not compile for the interpreter")
	}
	c := opt.Context{List: list}
	holds := c.Run(m, passesNamed("remove-printf"), ir.Initial)
	c.Run(m, opt.Standard(), holds)
	t := counters.Instrument(m, kernel)
	program, err := interp.Compile(m, kernel)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if r.Counts != CountAlways {
		limited, cancel := context.WithTimeout(ctx, countLimit)
		defer cancel()
		ctx = limited
	}
	launch := interp.Launch{Grid: [3]uint32{grid.X, grid.Y, grid.Z}, Context: ctx, Immediates: make([]byte, program.Immediates())}
	copy(launch.Immediates, in.Immediates)
	if extent != nil {
		launch.Extent = kerneldata.Size3(extent)
	}
	if n := int(info.SubgroupSize); n > 0 && n <= interp.MaxSubgroupSize && n&(n-1) == 0 {
		launch.SubgroupSize = n
	}
	buffer := memlimit.AlignedBytes(uint64(t.Bytes()))
	for _, b := range program.Bindings() {
		if b.Name == counters.Name {
			launch.Buffers = append(launch.Buffers, buffer)
			continue
		}
		for i := range in.Kernel.Bindings {
			if other := &in.Kernel.Bindings[i]; other.Group == b.Group && other.Binding == b.Binding {
				data := memlimit.AlignedBytes(uint64(len(in.Buffers[i].Bytes)))
				copy(data, in.Buffers[i].Bytes)
				launch.Buffers = append(launch.Buffers, data)
			}
		}
	}
	var traffic texture.Traffic // of all textures
	for _, h := range program.Handles() {
		for i := range in.Kernel.Handles {
			if in.Kernel.Handles[i].Name == h.Name {
				launch.Handles = append(launch.Handles, forInterpreter(&in.Handles[i], &traffic))
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

// forInterpreter returns a sampler, or a copy of a texture whose traffic is counted.
func forInterpreter(b *kerneldata.Handle, traffic *texture.Traffic) texture.Handle {
	if b.Image == nil {
		return texture.Handle{Sampler: &b.Sampler}
	}
	return texture.Handle{Image: imagefile.Reformat(b.Image, b.Image.Format), Levels: b.Image.Levels, Traffic: traffic}
}

// passesNamed returns the pipeline of one pass.
func passesNamed(name string) []opt.Pass {
	for _, p := range codegen.Passes {
		if p.Name == name {
			return []opt.Pass{*p}
		}
	}
	panic("there is no pass " + name)
}

// ratesText returns the rates of a launch that takes t. At says which time that is.
func ratesText(c *counters.Counts, t time.Duration, at string) string {
	perSecond := func(n uint64) float64 { return float64(n) / max(t.Seconds(), 1e-9) }
	text := fmt.Sprintf("%sB/s, %sFLOP/s%s: %d bytes read, %d written, %d floating-point operations",
		textfmt.Metric(perSecond(c.Read+c.Written+c.TexelsRead+c.TexelsWritten)), textfmt.Metric(perSecond(c.Operations)), at, c.Read+c.TexelsRead, c.Written+c.TexelsWritten, c.Operations)
	if c.Texels > 0 {
		text += fmt.Sprintf(", %d of the bytes read and %d of those written by %d accesses of textures", c.TexelsRead, c.TexelsWritten, c.Texels)
	}
	if c.Uniform > 0 {
		text += fmt.Sprintf(", beside %d bytes read of uniform buffers, which caches serve", c.Uniform)
	}
	return text + "; counted on the interpreter"
}

// The values of -count.
const (
	CountAuto   = "auto"
	CountAlways = "always"
	CountNever  = "never"
)

// countFor counts if that is asked for. Otherwise why says why there are no counts, or is "".
func (r *runner) countFor(grid gpu.Grid, extent []uint32, info gpu.Info) (c *counters.Counts, why string) {
	if r.Counts == CountNever || r.Counts == CountAuto && r.Repeat == 1 {
		return nil, ""
	}
	c, err := r.count(grid, extent, info)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("not counted: the interpreter takes more than %v; -count always waits for it", countLimit)
	case err != nil:
		return nil, fmt.Sprintf("not counted: %v", err)
	}
	return c, ""
}

// clockOf says which clock measures the times of a driver.
func clockOf(driver string) string {
	clock, _ := clocks.Find(driver)
	return cmp.Or(clock, "the device's clock")
}
