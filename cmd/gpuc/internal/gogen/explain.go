package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// explain says for each kernel and device of this machine which record applies, and why.
func (g *generation) explain(list []*tunedPackage) error {
	infos, err := gpu.Devices()
	if err != nil {
		fmt.Fprintf(g.Stderr, "warning: a driver fails, and its devices are left out: %v\n", err)
	}
	for _, p := range list {
		// programs look these up, too, and prefer them
		kept := tuning.KeptFor(p.Path)
		text, _ := kept.Read()
		own, faults := tuning.Parse(kept.Path, text, p.Path)
		g.warn(faults)
		p.records = append(own, p.records...)
		for n := range p.kernels {
			g.explainKernel(p, &p.kernels[n], infos)
		}
	}
	return nil
}

// explainKernel prints what applies to a kernel.
func (g *generation) explainKernel(p *tunedPackage, k *tunedKernel, infos []gpu.Info) {
	fmt.Fprintf(g.Stdout, "%s: %s\n", k.Name, k.named(k.own()))
	var of []tuning.Record // of the kernel as it is now
	for _, r := range p.records {
		switch {
		case r.Kernel != k.Name:
		case r.Code != k.code:
			fmt.Fprintf(g.Stdout, "  %s:%d is ignored: it is about other code of the kernel, measured on %s\n", r.File, r.Line, r.Name)
		default:
			of = append(of, r)
		}
	}
	for _, info := range infos {
		if !slices.Contains(strings.Split(p.options.targets, ","), string(info.Target)) {
			continue // the package has no code for it
		}
		device := gpu.TuningDeviceOf(info)
		var seen []tuning.Problem
		for _, r := range of {
			if slices.ContainsFunc(seen, func(o tuning.Problem) bool { return o.Distance(r.Problem) == 0 }) {
				continue
			}
			seen = append(seen, r.Problem)
			applies, match := tuning.Choose(of, tuning.Wanted{Package: p.Path, Kernel: k.Name, Code: k.code, Device: device, Problem: r.Problem})
			if applies == nil || applies.Problem.Distance(r.Problem) > 0 {
				continue // no device like this was measured for it
			}
			fmt.Fprintf(g.Stdout, "  %s, %v: %s, by %s:%d of %s\n", info.ID(), r.Problem, k.named(applies.Best), applies.File, applies.Line, whose(applies, match))
			k.explainTimes(g, applies)
		}
		if !slices.ContainsFunc(of, func(r tuning.Record) bool { return r.Device.Matches(device) < tuning.NoMatch }) {
			fmt.Fprintf(g.Stdout, "  %s: %s, as the package has it; no record is of %s or its profile (%s)\n", info.ID(), k.named(k.own()), info.Name, device.Profile)
		}
	}
	for _, r := range of {
		if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return r.Device.Matches(gpu.TuningDeviceOf(i)) < tuning.NoMatch }) {
			fmt.Fprintf(g.Stdout, "  elsewhere, %s (%s), %v: %s\n", r.Name, r.Profile, r.Problem, k.named(r.Best))
		}
	}
}

// whose says what a record has to do with the device that it applies to.
func whose(r *tuning.Record, match tuning.Match) string {
	switch match {
	case tuning.SameDevice:
		return fmt.Sprintf("%v, %s", match, r.Driver)
	case tuning.SameProfile:
		return fmt.Sprintf("%v, %s", match, r.Name)
	}
	return match.String()
}

// explainTimes prints what was measured.
func (k *tunedKernel) explainTimes(g *generation, r *tuning.Record) {
	for _, m := range r.Measured {
		switch {
		case m.Failure != "":
			fmt.Fprintf(g.Stdout, "    %-16s does not run: %s\n", k.named(m.Values), m.Failure)
		case !m.Known():
			fmt.Fprintf(g.Stdout, "    %-16s was not measured, as the budget ended\n", k.named(m.Values))
		default:
			fmt.Fprintf(g.Stdout, "    %-16s %10s (%s to %s)\n", k.named(m.Values), textfmt.Duration(m.Times[1]), textfmt.Duration(m.Times[0]), textfmt.Duration(m.Times[2]))
		}
	}
}
