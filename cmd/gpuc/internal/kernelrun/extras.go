package kernelrun

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/svgplot"
)

// ExtraFiles are the files of -trace and -plot, or nil.
type ExtraFiles struct{ trace, plot *outfile.File }

// PlanExtras plans the files of -trace and -plot, which are "" if not given.
func PlanExtras(files *outfile.Plan, traceTo, plotTo string) (x ExtraFiles, err error) {
	if traceTo != "" {
		if x.trace, err = files.Add(traceTo, "-trace", traceFile); err != nil {
			return x, err
		}
	}
	if plotTo != "" {
		x.plot, err = files.Add(plotTo, "-plot", plotFile)
	}
	return x, err
}

// write writes the files.
func (x *ExtraFiles) write(t *chrometrace.Trace, report *runReport) error {
	var failures []error
	if x.plot != nil {
		title := fmt.Sprintf("%s on %s, by %s", report.in.Kernel.Name, report.device.Name, report.clock)
		err := x.plot.Write(svgplot.Plot(title, report.times, []svgplot.Line{{Name: "p95", Colour: "#c60", At: report.p95}, {Name: "median", Colour: "#06c", At: report.median}, {Name: "fastest", Colour: "#090", At: report.fastest}}))
		if err == nil {
			report.wrote = append(report.wrote, wroteFile{x.plot.Path, fmt.Sprintf("the times of %d runs", len(report.times))})
		}
		failures = append(failures, err)
	}
	if x.trace != nil {
		version, _ := cli.Version()
		data, err := t.Encode(version)
		if err == nil {
			err = x.trace.Write(data)
		}
		if err == nil {
			report.wrote = append(report.wrote, wroteFile{x.trace.Path, "for ui.perfetto.dev"})
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// This file is -plot: the times of repetitions in the order in which they ran, as a picture. It
// shows what a median does not: clocks that rise, a first run that is slow, another program.

// plotFile is the kind of the files of -plot.
var plotFile = outfile.Kind{Magic: svgplot.Signature, Foreign: "gpuc run -plot did not make it"}

// This file is -trace: what a run does and when, in the trace event format that Chrome and Perfetto
// show ("Trace Event Format", complete events).

// traceFile is the kind of the files of -trace.
var traceFile = outfile.Kind{Magic: chrometrace.Signature, Foreign: "gpuc run -trace did not make it"}
