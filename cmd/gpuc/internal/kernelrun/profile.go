package kernelrun

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file is `gpuc run -profile`: how near a kernel comes to what its device can do. What it does
// is counted (package tally) and not estimated; what the device can do at most is what its driver
// says of clocks and widths, or, on a processor, what copying memory was measured to move. Counted
// bytes are accesses, of which caches serve a part; so the bytes of what is bound stand beside
// them, which have to be moved if all of it is used.

// ProfileRuns is how often a kernel runs with -profile if -repeat does not say.
const ProfileRuns = 10

// profile is what there is to say of a launch's speed.
type profile struct {
	counts *counters.Counts
	time   time.Duration
	// bytes of the storage buffers that are bound, and once more of those that are written
	bound  uint64
	peak   driver.Peak
	source string // of the peak, "" where nothing is known
	gpu    bool
}

// knownPeaks are those of cards by NVIDIA's data sheets, for drivers that do not tell clocks, by
// how the name ends that drivers give them.
var knownPeaks = []struct {
	name         string
	bytes, flops float64
}{
	{"H200", 4.8e12, 66.9e12},
	{"H100 80GB HBM3", 3.35e12, 66.9e12},
	{"H100 PCIe", 2.0e12, 51.2e12},
	{"A100-SXM4-80GB", 2.039e12, 19.5e12},
	{"RTX 4090", 1.008e12, 82.6e12},
	{"NVIDIA L4", 0.3e12, 30.3e12},
}

// peakOf finds what a device can do at most: by its driver, by another driver of the same card, by
// the table, or of a processor by measuring.
func peakOf(info gpu.Info, devices func() ([]gpu.Info, error), measure func() float64) (peak driver.Peak, source string) {
	known := func(p driver.Peak) bool { return p.BytesPerSecond > 0 || p.FlopsPerSecond > 0 }
	if known(info.Peak) {
		return info.Peak, "the driver's"
	}
	if info.Kind == driver.CPU || info.Kind == driver.Software {
		return driver.Peak{BytesPerSecond: measure(), Memory: "what copying was measured to move on all cores"}, "measured"
	}
	others, _ := devices() // those that fail say nothing here
	for _, other := range others {
		if other.Name == info.Name && known(other.Peak) {
			return other.Peak, "those that " + other.ID() + " has for this card"
		}
	}
	for _, row := range knownPeaks {
		if strings.HasSuffix(info.Name, row.name) {
			return driver.Peak{BytesPerSecond: row.bytes, FlopsPerSecond: row.flops}, "those of the card's data sheet"
		}
	}
	return driver.Peak{}, ""
}

// copyBandwidth measures how many bytes a second all cores read and write together while they copy
// more than caches hold: the most of some rounds.
func copyBandwidth() float64 {
	const size, rounds = 128 << 20, 5
	from, to := make([]byte, size), make([]byte, size)
	cores := runtime.GOMAXPROCS(0)
	each := (size + cores - 1) / cores
	best := math.Inf(1)
	for round := range rounds + 1 { // the first one gets the pages
		began := time.Now()
		var group sync.WaitGroup
		for first := 0; first < size; first += each {
			end := min(first+each, size)
			group.Go(func() { copy(to[first:end], from[first:end]) })
		}
		group.Wait()
		if took := time.Since(began).Seconds(); round > 0 {
			best = min(best, took)
		}
	}
	return 2 * size / best
}

// newProfile puts together what is known; it is nil where nothing was counted.
func (r *runReport) newProfile() *profile {
	if r.counts == nil {
		return nil
	}
	p := &profile{counts: r.counts, time: r.median, gpu: r.device.Kind == driver.GPU}
	for n := range r.in.Buffers {
		if r.in.Kernel.Bindings[n].Access == abi.Uniform {
			continue
		}
		bytes := uint64(len(r.in.Buffers[n].Bytes))
		if p.bound += bytes; r.in.Written(n) {
			p.bound += bytes
		}
	}
	p.peak, p.source = peakOf(r.device, gpu.Devices, copyBandwidth)
	return p
}

// bytesPerSecond and flopsPerSecond are what the launch does.
func (p *profile) bytesPerSecond() float64 {
	return float64(p.counts.Read+p.counts.Written) / max(p.time.Seconds(), 1e-9)
}
func (p *profile) flopsPerSecond() float64 {
	return float64(p.counts.Operations) / max(p.time.Seconds(), 1e-9)
}

// shares are the parts of the device's limits that the launch uses, or 0 where a limit is not
// known.
func (p *profile) shares() (memory, arithmetic float64) {
	part := func(of, limit float64) float64 {
		if limit == 0 {
			return 0
		}
		return of / limit
	}
	return part(p.bytesPerSecond(), p.peak.BytesPerSecond), part(p.flopsPerSecond(), p.peak.FlopsPerSecond)
}

// print writes the profile as sentences.
func (p *profile) print(w io.Writer) {
	memory, arithmetic := p.shares()
	say := func(format string, values ...any) { fmt.Fprintf(w, "         "+format+"\n", values...) }
	fmt.Fprintf(w, "profile  a launch takes %s at the median\n", textfmt.Duration(p.time))
	if p.peak.BytesPerSecond > 0 {
		say("buffers: %s, %s of the %s of its memory%s", bytesRate(p.bytesPerSecond()), percent(memory), bytesRate(p.peak.BytesPerSecond), inBrackets(p.peak.Memory))
	} else {
		say("buffers: %s; what its memory moves at most is not known", bytesRate(p.bytesPerSecond()))
	}
	accessed := p.counts.Read + p.counts.Written
	if times := float64(accessed) / float64(max(p.bound, 1)); times > 1.5 {
		say("that is %.1f times what is bound, read and written once: what caches serve of it memory does not move", times)
	}
	switch {
	case p.counts.Operations == 0:
		say("arithmetic: no operations on floats")
	case p.peak.FlopsPerSecond > 0:
		say("arithmetic: %s, %s of the %s of f32%s", flopsRate(p.flopsPerSecond()), percent(arithmetic), flopsRate(p.peak.FlopsPerSecond), inBrackets(p.peak.Arithmetic))
	default:
		say("arithmetic: %s; what it computes at most is not known", flopsRate(p.flopsPerSecond()))
	}
	say("%s", p.verdict())
	if p.source != "" {
		say("these limits are %s", p.source)
	}
}

// Launches below this time are no measure of anything but a launch, and shares below this part of
// no limit.
const (
	shortLaunch = 10 * time.Microsecond
	farFrom     = 0.25
)

// verdict says which limit the launch is nearer to, and what that tells.
func (p *profile) verdict() string {
	memory, arithmetic := p.shares()
	if memory == 0 && arithmetic == 0 {
		return "no limit is known to compare it with"
	}
	name, share := "memory", memory
	if arithmetic > memory {
		name, share = "arithmetic", arithmetic
	}
	text := fmt.Sprintf("it is nearer to the limit of %s, at %s", name, percent(share))
	if memory == 0 || arithmetic == 0 && p.counts.Operations > 0 {
		text = fmt.Sprintf("it is at %s of the limit of %s, the only one that is known", percent(share), name)
	}
	switch {
	case p.gpu && p.time < shortLaunch:
		return text + "; a launch this short is for the most part its start, and a larger one tells more"
	case memory > 1:
		return text + ": caches serve what is above it"
	case share < farFrom:
		return text + ", and far from it: waiting, integer operations, atomic operations, barriers or too few invocations take the time"
	}
	return text
}

// percent writes a part.
func percent(part float64) string {
	if part < 0.1 {
		return fmt.Sprintf("%.2g %%", 100*part)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// inBrackets adds where a number comes from.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// bytesRate and flopsRate write rates with few prefixes, so that they can be compared by eye.
func bytesRate(x float64) string {
	if x < 1e9 {
		return textfmt.Metric(x) + "B/s"
	}
	return significant(x/1e9) + " GB/s"
}
func flopsRate(x float64) string {
	if x < 1e12 {
		return textfmt.Metric(x) + "FLOP/s"
	}
	return significant(x/1e12) + " TFLOP/s"
}

// significant writes a number with three figures, or all of its whole part.
func significant(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// profileForm is a profile for -json.
type profileForm struct {
	Seconds             float64 `json:"seconds"`
	BytesPerSecond      float64 `json:"bytesPerSecond"`
	OperationsPerSecond float64 `json:"operationsPerSecond"`
	BoundBytes          uint64  `json:"boundBytes"`
	MostBytes           float64 `json:"mostBytesPerSecond,omitempty"`
	MostOperations      float64 `json:"mostOperationsPerSecond,omitempty"`
	Source              string  `json:"source,omitempty"`
	Verdict             string  `json:"verdict"`
}

// form is the profile for -json, nil for none.
func (p *profile) form() *profileForm {
	if p == nil {
		return nil
	}
	return &profileForm{p.time.Seconds(), p.bytesPerSecond(), p.flopsPerSecond(), p.bound, p.peak.BytesPerSecond, p.peak.FlopsPerSecond, p.source, p.verdict()}
}
