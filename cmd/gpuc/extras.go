package main

import (
	"errors"
	"fmt"
)

// This file is what gpuc run writes beside the results of a kernel: a trace, a plot.

// extraFiles are those of -trace and -plot, or nil.
type extraFiles struct{ trace, plot *outputFile }

// planExtras plans the files that are not results of the kernel.
func planExtras(files *outputs, traceTo, plotTo string) (x extraFiles, err error) {
	if traceTo != "" {
		if x.trace, err = files.plan(traceTo, "-trace", traceFile); err != nil {
			return x, err
		}
	}
	if plotTo != "" {
		x.plot, err = files.plan(plotTo, "-plot", plotFile)
	}
	return x, err
}

// write writes them.
func (x *extraFiles) write(t *trace, report *runReport) error {
	var failures []error
	if x.plot != nil {
		title := fmt.Sprintf("%s on %s, by %s", report.in.kernel.Name, report.device.Name, report.clock)
		err := x.plot.write(plot(title, report.times, []plotLine{{"p95", "#c60", report.p95}, {"median", "#06c", report.median}, {"fastest", "#090", report.fastest}}))
		if err == nil {
			report.wrote = append(report.wrote, wroteFile{x.plot.path, fmt.Sprintf("the times of %d runs", len(report.times))})
		}
		failures = append(failures, err)
	}
	if x.trace != nil {
		version, _ := builtFrom()
		data, err := t.file(version)
		if err == nil {
			err = x.trace.write(data)
		}
		if err == nil {
			report.wrote = append(report.wrote, wroteFile{x.trace.path, "for ui.perfetto.dev"})
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}
