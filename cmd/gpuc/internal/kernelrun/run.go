// Package kernelrun runs a kernel with its data on a device, measures it, and reports.
package kernelrun

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/devices"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Options are the options of a run.
type Options struct {
	loader.Flags
	Device       string             // as -device names it
	Repeat       int                // number of measurements
	WarmUp       int                // number of launches before them
	Counts       string             // CountAuto, CountAlways or CountNever
	Profile      bool               // compare the counts with the peak rates of the device
	MessageBytes int                // size of the buffer for what a launch prints
	Trace        *chrometrace.Trace // nil for none
}

// Plan is the data of a run, its output files, and the size of the launch.
type Plan struct {
	In     *kerneldata.Inputs
	Outs   []kerneldata.Output
	Extras ExtraFiles
	Size   LaunchSize
}

// runner runs one kernel.
type runner struct {
	Options
	e        *cli.Env
	p        *loader.Program
	in       *kerneldata.Inputs
	silent   bool           // what the kernel prints is dropped
	messages []gpu.Messages // for -json
}

// Run runs the artefact's kernel, writes its results to files, and prints a report.
func (plan *Plan) Run(e *cli.Env, p *loader.Program, device *gpu.Device, artefact *abi.Artefact, options Options) error {
	r := &runner{Options: options, e: e, p: p, in: plan.In}
	ctx := context.Background()
	in, outs := plan.In, plan.Outs
	for _, note := range in.Notes {
		fmt.Fprintln(e.Stderr, "note: "+note)
	}
	end := r.Trace.Span("device", "load the code")
	loaded, err := device.Load(artefact)
	if err != nil {
		return err
	}
	defer loaded.Close()
	end()
	grid, exactly := plan.Size.of(loaded)
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	arguments := loaded.Args()
	data, err := upload(ctx, in, device, stream, loaded, arguments, r.Trace)
	defer data.close()
	if err != nil {
		return err
	}
	device.SetMessages(gpu.MessageOptions{Bytes: r.MessageBytes, Handle: func(m gpu.Messages) { r.receive(m) }})
	w := r.newMeasurer(data, device, arguments, exactly)
	measured, err := w.measure(ctx)
	w.shown.stop(device)
	if err != nil {
		return err
	}
	results, err := data.results(ctx, r.Trace)
	if err != nil {
		return err
	}
	report := runReport{device: device.Info(), in: in, grid: grid, covered: plan.Size.covered, measured: measured, results: results, messages: r.messages,
		statistics: summarize(measured.times), clock: clockOf(device.Info().Driver)}
	failed := report.write(outs, r.Trace)
	failed = errors.Join(failed, plan.Extras.write(r.Trace, &report))
	report.counts, report.uncounted = r.countFor(grid, plan.Size.extent, device.Info())
	if r.Profile {
		report.profile = report.newProfile()
	}
	e.SetResults(report.jsonForm())
	reportTo := e.Stdout
	if slices.ContainsFunc(outs, func(o kerneldata.Output) bool { return o.Pipe != nil }) {
		reportTo = e.Stderr // standard output has the array
	}
	report.print(reportTo)
	if reportTo == e.Stdout {
		report.thumbnails(e, outs)
	}
	if note := devices.SlowNote(r.Device, device.Info(), report.statistics.median, cpu.Compiles(), gpu.Devices); note != "" {
		fmt.Fprintln(e.Stderr, "note: "+note)
	}
	return failed
}

// receive shows the messages of a launch, or keeps them for -json. Those of warm-up launches are
// dropped.
func (r *runner) receive(m gpu.Messages) {
	if r.silent {
		return
	}
	if r.e.WantsJSON() {
		r.messages = append(r.messages, m)
		return
	}
	showMessages(r.e, m)
}

func showMessages(e *cli.Env, m gpu.Messages) {
	fmt.Fprint(e.Stderr, m)
	if m.Dropped > 0 {
		fmt.Fprintf(e.Stderr, "note: -debug-buffer=%d holds four times as many\n", min(4*m.Bytes, 1<<30))
	}
}

// LaunchSize is the size of a launch. One of its members is set.
type LaunchSize struct {
	grid    gpu.Grid
	extent  []uint32  // invocations, as -extent has them
	texels  [3]uint32 // an invocation for each texel of covered
	covered string    // a texture, or ""
}

// SizeOf returns the size that -grid or -extent gives; at most one of them is not nil. Without
// both, each texel of the only texture that the kernel writes gets an invocation.
func SizeOf(in *kerneldata.Inputs, grid, extent []uint32) (l LaunchSize, err error) {
	if grid != nil {
		size := kerneldata.Size3(grid)
		return LaunchSize{grid: gpu.Grid{X: size[0], Y: size[1], Z: size[2]}}, nil
	}
	if extent != nil {
		return LaunchSize{extent: extent}, nil
	}
	i := in.OnlyWrittenTexture()
	if i < 0 {
		return l, usage.Errorf("say how much to run: -extent X,Y,Z counts invocations, -grid X,Y,Z workgroups")
	}
	d := &in.Handles[i].Image.Description
	return LaunchSize{texels: [3]uint32{d.Width, d.Height, max(d.Depth, d.Layers)}, covered: in.Kernel.Handles[i].Name}, nil
}

// of returns the workgroups of a launch, and the argument to launch it with. That is the number of
// invocations if the kernel is compiled to check it.
func (l *LaunchSize) of(k *gpu.Kernel) (grid, launched gpu.Grid) {
	switch {
	case l.extent != nil:
		size := kerneldata.Size3(l.extent)
		grid = k.Cover(size[0], size[1], size[2])
		if k.Describe().Extent != nil {
			return grid, gpu.Items3(int(size[0]), int(size[1]), int(size[2]))
		}
		return grid, grid
	case l.covered != "":
		grid = k.Cover(l.texels[0], l.texels[1], l.texels[2])
		return grid, grid
	}
	return l.grid, l.grid
}
