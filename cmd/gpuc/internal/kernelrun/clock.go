package kernelrun

import (
	"context"
	"slices"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file measures single launches on CUDA. A sample of launches in a row is no good there: each
// launch writes back what the one before left in the L2 cache. On an H200, kernels of 10 to 100 µs
// that write take up to 6 % longer that way. Instead a kernel that only computes runs before the
// launch, and gives the host time to queue all that is measured. What the two events take beside
// the kernel is measured with an empty kernel.

// clockKernels are the kernel for the pause, of about 90 µs, and the empty kernel.
const clockKernels = `@group(0) @binding(0) var<storage, read_write> x: u32;
@compute @workgroup_size(1) fn pause() {
  var h = x;
  for (var i = 0u; i < 12000; i++) { h = (h ^ (h >> 7)) * 1664525 + i; }
  x = h;
}
@compute @workgroup_size(32) fn empty() {}
`

// emptyTime is the time of an empty kernel with one workgroup, by ncu on an H200. A launch of it
// that takes longer shows the overhead of the events.
const emptyTime = 1216 * time.Nanosecond

// launchClock measures single launches on a stream.
type launchClock struct {
	stream           *gpu.Stream
	kernels          []*gpu.Kernel
	memory           *gpu.Buffer[byte]
	pausing, nothing *gpu.Args
	overhead         time.Duration // of two events
}

// newLaunchClock compiles the kernels and measures the overhead of the events.
func newLaunchClock(ctx context.Context, device *gpu.Device, stream *gpu.Stream) (c *launchClock, err error) {
	c = &launchClock{stream: stream}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("clock.wgsl", clockKernels)
	if err != nil {
		return c, err
	}
	m, err := frontend.Load(set, file, frontend.Options{}, list)
	if err != nil {
		return c, err
	}
	info := device.Info()
	for _, to := range []struct {
		name string
		args **gpu.Args
	}{{"pause", &c.pausing}, {"empty", &c.nothing}} {
		k, err := device.Load(codegen.Compile(m, to.name, all.For(info.Target, info.Profile, info.Features...), new(codegen.Options), list))
		if err != nil {
			return c, err
		}
		c.kernels, *to.args = append(c.kernels, k), k.Args()
	}
	if c.memory, err = gpu.Alloc[byte](device, 4); err != nil {
		return c, err
	}
	if err = c.pausing.Set(0, c.memory); err != nil {
		return c, err
	}
	var times []time.Duration
	for range 32 {
		if err := c.pause(); err != nil {
			return c, err
		}
		t, err := c.between(ctx, func() error { return stream.Launch(c.nothing, gpu.D1(1)) })
		if err != nil {
			return c, err
		}
		times = append(times, t)
	}
	slices.Sort(times[2:])
	c.overhead = max(times[2:][15]-emptyTime, 0)
	return c, nil
}

// pause launches the kernel for the pause.
func (c *launchClock) pause() error { return c.stream.Launch(c.pausing, gpu.D1(1)) }

// between returns the time between two events around a launch.
func (c *launchClock) between(ctx context.Context, launch func() error) (time.Duration, error) {
	from, err := c.stream.Record()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if err := launch(); err != nil {
		return 0, err
	}
	to, err := c.stream.Record()
	if err != nil {
		return 0, err
	}
	defer to.Close()
	if err := c.stream.Wait(ctx); err != nil {
		return 0, err
	}
	return to.Since(from)
}

func (c *launchClock) close() {
	for _, k := range c.kernels {
		k.Close()
	}
	if c.memory != nil {
		c.memory.Close()
	}
}
