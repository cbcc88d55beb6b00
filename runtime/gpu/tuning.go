package gpu

import (
	"fmt"
	"strings"
	"time"
)

// Tuning is what is known about the speed of the variants of a kernel on a device.
type Tuning struct {
	// Kernel and Device are what it is about. Configuration is the grid and the lengths of the
	// buffers.
	Kernel, Device, Configuration string
	// Constants are the tuned constants. Values are those of the variant that runs: the fastest one
	// or, where nothing is known, the package's own.
	Constants []string
	Values    []int
	// Measured has the variants in the order in which they are listed. It is empty if nothing is
	// known.
	Measured []Measured
	// At is when it was measured. Remembered says that it was read from File, and not measured by
	// this call.
	At         time.Time
	Remembered bool
	File       string
	// Note says why a file was ignored, or could not be written; "" otherwise.
	Note string
}

// Measured is a variant with its measurements.
type Measured struct {
	Values []int `json:"values"`
	// Time is the device time of one launch: the median of samples between Least and Most.
	Time  time.Duration `json:"time"`
	Least time.Duration `json:"least"`
	Most  time.Duration `json:"most"`
	// Failure says why the device does not run the variant; the times are 0 then.
	Failure string `json:"failure,omitempty"`
}

// Known reports whether there are measurements, so that Values are more than the defaults.
func (t Tuning) Known() bool { return len(t.Measured) > 0 }

// String says in a sentence which variant runs, and why.
func (t Tuning) String() string {
	text := fmt.Sprintf("%s runs with %s on %s: ", t.Kernel, t.Named(t.Values), t.Device)
	if !t.Known() {
		text += "the package's own values, as nothing is known about " + t.Configuration
	} else {
		var list []string
		for _, m := range t.Measured {
			if m.Failure != "" {
				list = append(list, t.Named(m.Values)+" failed: "+m.Failure)
			} else {
				list = append(list, fmt.Sprintf("%s took %v (%v to %v)", t.Named(m.Values), m.Time, m.Least, m.Most))
			}
		}
		text += fmt.Sprintf("the fastest for %s, measured %s; %s", t.Configuration, t.At.Format(time.DateTime), strings.Join(list, ", "))
		if t.Remembered {
			text += "; read from " + t.File
		}
	}
	if t.Note != "" {
		text += " (" + t.Note + ")"
	}
	return text
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
