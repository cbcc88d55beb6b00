package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// runOptions says how a kernel is run and measured.
type runOptions struct {
	compileFlags
	device       string // as -device names it
	repeat       int    // measurements
	warmUp       int    // launches before them
	counts       string // when to count what a launch does
	profile      bool   // compare the counts with the limits of the device
	messageBytes int    // for what a launch prints
	trace        *trace // nil for none
}

// runPlan is what a run reads and writes, and how much it launches.
type runPlan struct {
	in     *inputs
	outs   []output
	extras extraFiles
	size   launchSize
}

// runner runs one kernel.
type runner struct {
	runOptions
	e        *environment
	p        *program
	in       *inputs
	silent   bool           // what the kernel prints is dropped
	messages []gpu.Messages // for -json
}

// run runs the artefact's kernel, writes its results to files, and prints a report.
func (plan *runPlan) run(e *environment, p *program, device *gpu.Device, artefact *abi.Artefact, options runOptions) error {
	r := &runner{runOptions: options, e: e, p: p, in: plan.in}
	ctx := context.Background()
	in, outs := plan.in, plan.outs
	for _, note := range in.notes {
		fmt.Fprintln(e.stderr, "note: "+note)
	}
	end := r.trace.span("device", "load the code")
	loaded, err := device.Load(artefact)
	if err != nil {
		return err
	}
	defer loaded.Close()
	end()
	grid, exactly := plan.size.of(loaded)
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	arguments := loaded.Args()
	data, err := in.upload(ctx, device, stream, loaded, arguments, r.trace)
	defer data.close()
	if err != nil {
		return err
	}
	device.SetMessages(gpu.MessageOptions{Bytes: r.messageBytes, Handle: func(m gpu.Messages) { r.receive(m) }})
	w := r.newMeasurer(data, device, arguments, exactly)
	measured, err := w.measure(ctx)
	w.shown.stop(device)
	if err != nil {
		return err
	}
	results, err := data.results(ctx, r.trace)
	if err != nil {
		return err
	}
	report := runReport{device: device.Info(), in: in, grid: grid, covered: plan.size.covered, measured: measured, results: results, messages: r.messages,
		statistics: summarize(measured.times), clock: clockOf(device.Info().Driver)}
	failed := report.write(outs, r.trace)
	failed = errors.Join(failed, plan.extras.write(r.trace, &report))
	report.counts, report.uncounted = r.countFor(grid, plan.size.extent, device.Info())
	if r.profile {
		report.profile = report.newProfile()
	}
	e.answerWith(report.jsonForm())
	reportTo := e.stdout
	if slices.ContainsFunc(outs, func(o output) bool { return o.pipe != nil }) {
		reportTo = e.stderr // standard output has the array
	}
	report.print(reportTo)
	if reportTo == e.stdout {
		report.thumbnails(e, outs)
	}
	if note := slowNote(r.device, device.Info(), report.statistics.median, cpu.Compiles(), gpu.Devices); note != "" {
		fmt.Fprintln(e.stderr, "note: "+note)
	}
	return failed
}

// receive shows the messages of a launch, or keeps them for -json. Those of warm-up launches are
// dropped.
func (r *runner) receive(m gpu.Messages) {
	if r.silent {
		return
	}
	if r.e.wantsJSON() {
		r.messages = append(r.messages, m)
		return
	}
	showMessages(r.e, m)
}

func showMessages(e *environment, m gpu.Messages) {
	fmt.Fprint(e.stderr, m)
	if m.Dropped > 0 {
		fmt.Fprintf(e.stderr, "note: -debug-buffer=%d holds four times as many\n", min(4*m.Bytes, 1<<30))
	}
}

// launchSize is how much is launched: workgroups, or invocations if extent is not nil. Covered is
// the variable whose texels each have one, or "".
type launchSize struct {
	grid    gpu.Grid
	extent  []uint32 // as -extent has it
	texels  [3]uint32
	covered string
}

// sizeOf returns the size that -grid or -extent gives; at most one of them is not nil. Without both,
// each texel of the only texture that the kernel writes gets an invocation.
func sizeOf(in *inputs, grid, extent []uint32) (l launchSize, err error) {
	if grid != nil {
		size := full(grid)
		return launchSize{grid: gpu.Grid{X: size[0], Y: size[1], Z: size[2]}}, nil
	}
	if extent != nil {
		return launchSize{extent: extent}, nil
	}
	i := in.onlyWritten()
	if i < 0 {
		return l, usagef("say how much to run: -extent X,Y,Z counts invocations, -grid X,Y,Z workgroups")
	}
	d := &in.handles[i].image.Description
	return launchSize{texels: [3]uint32{d.Width, d.Height, max(d.Depth, d.Layers)}, covered: in.kernel.Handles[i].Name}, nil
}

// of returns the workgroups of a kernel's launch, and how it is launched: over exactly so many
// invocations, if it is told their number.
func (l *launchSize) of(k *gpu.Kernel) (grid, launched gpu.Grid) {
	switch {
	case l.extent != nil:
		size := full(l.extent)
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
