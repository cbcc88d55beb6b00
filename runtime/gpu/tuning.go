package gpu

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// Tuning says which variant of a kernel runs on a device, and why.
type Tuning struct {
	// Kernel and Device are what it is about. Problem is the grid and the lengths of the buffers.
	Kernel, Device, Problem string
	// Constants are the tuned constants. Values are those of the variant that runs: the fastest one
	// or, where nothing is known, the package's own.
	Constants []string
	Values    []int
	// Measured has the variants with their measurements. It is empty if nothing is known.
	Measured []Measured
	// Source is the file of the record, with its line, or "" if the call itself has measured.
	// Reason says what the record has to do with the device, and with the problem.
	Source, Reason string
	// Note says what is wrong with files of records; "" if nothing is. None of that is an error.
	Note string
}

// Measured is a variant with its measurements.
type Measured = tuning.Measured

// Known reports whether there are measurements, so that Values are more than the defaults.
func (t Tuning) Known() bool { return len(t.Measured) > 0 }

// String says in a sentence which variant runs, and why.
func (t Tuning) String() string {
	text := fmt.Sprintf("%s runs with %s on %s: ", t.Kernel, t.Named(t.Values), t.Device)
	if !t.Known() {
		text += "the package's own values, as nothing is known about " + t.Problem
	} else {
		var list []string
		for _, m := range t.Measured {
			list = append(list, t.Named(m.Values)+" "+describe(m))
		}
		text += fmt.Sprintf("the fastest for %s; %s", t.Problem, strings.Join(list, ", "))
		if t.Source != "" {
			text += fmt.Sprintf("; measured on %s, in %s", t.Reason, t.Source)
		}
	}
	if t.Note != "" {
		text += " (" + t.Note + ")"
	}
	return text
}

// describe says in words what was measured of a variant.
func describe(m Measured) string {
	switch {
	case m.Failure != "":
		return "failed: " + m.Failure
	case !m.Known():
		return "was not measured, as the budget ended"
	}
	return fmt.Sprintf("took %v (%v to %v)", m.Times[1], m.Times[0], m.Times[2])
}

// Named returns the tuned constants with values in their order: "Tile=8 Unroll=2".
func (t Tuning) Named(values []int) string {
	list := make([]string, len(values))
	for n, value := range values {
		name := "?"
		if n < len(t.Constants) {
			name = t.Constants[n]
		}
		list[n] = fmt.Sprintf("%s=%d", name, value)
	}
	return strings.Join(list, " ")
}

// TuningDeviceOf returns how records of tuning name a device. Its profile is what the speed of code
// depends on most, after the device itself.
func TuningDeviceOf(i Info) tuning.Device {
	profile := fmt.Sprintf("%s, subgroups of %d", i.Target, i.SubgroupSize)
	switch {
	case i.Profile == 0:
	case i.Target == abi.PTX:
		profile = fmt.Sprintf("sm_%d", i.Profile)
	case i.Target == abi.AMDGPU:
		profile = fmt.Sprintf("gfx%x", i.Profile)
	case i.Target == abi.MSL:
		profile = fmt.Sprintf("apple%d", i.Profile)
	case i.Target == abi.SPIRV: // which very different devices have in common
		profile += ", " + i.Compiler
	}
	return tuning.Device{Name: i.Name, Profile: profile, Driver: i.Driver + ", " + i.Version}
}
