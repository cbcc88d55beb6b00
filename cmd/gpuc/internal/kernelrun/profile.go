package kernelrun

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file is `gpuc run -profile`, which compares a launch with the peak rates of its device. The
// bytes and operations of the launch are counted (package counters). The peaks follow from the
// clocks and widths that the driver reports; on a CPU, copying memory is measured. Counted bytes
// are accesses, of which caches serve a part. The report therefore has the size of the bound
// buffers, too.

// ProfileRuns is the number of measurements with -profile and without -repeat.
const ProfileRuns = 10

// profile compares a launch with the peaks of its device.
type profile struct {
	counts *counters.Counts
	time   time.Duration
	bound  uint64 // bytes of the bound storage buffers; those that are written count twice
	peak   driver.Peak
	source string // of the peak, or ""
	gpu    bool
}

// peakOf returns the peaks of a device, and where they come from: its driver, another driver of the
// same card, the table, or for a CPU a measurement.
func peakOf(info gpu.Info, devices func() ([]gpu.Info, error), measure func() float64) (peak driver.Peak, source string) {
	if info.Peak.IsKnown() {
		return info.Peak, "the driver's"
	}
	if info.Kind == driver.CPU || info.Kind == driver.Software {
		return driver.Peak{BytesPerSecond: measure(), Memory: "what copying was measured to move on all cores"}, "measured"
	}
	others, _ := devices() // a driver that fails does not matter
	for _, other := range others {
		if other.Name == info.Name && other.Peak.IsKnown() {
			return other.Peak, "those that " + other.ID() + " has for this card"
		}
	}
	if peak = driver.PeakOf(&info); peak.IsKnown() {
		return peak, "those of the card's data sheet"
	}
	return driver.Peak{}, ""
}

// copyBandwidth measures the memory bandwidth in bytes per second: reads and writes of all cores
// together that copy more than caches hold. It is the best of several rounds.
func copyBandwidth() float64 {
	const size, rounds = 128 << 20, 5
	from, to := make([]byte, size), make([]byte, size)
	cores := runtime.GOMAXPROCS(0)
	each := (size + cores - 1) / cores
	best := math.Inf(1)
	for round := range rounds + 1 { // the first round faults the pages in
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

// newProfile makes the profile of a run, or nil if nothing was counted.
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

// bytesPerSecond and flopsPerSecond are the rates of the launch.
func (p *profile) bytesPerSecond() float64 {
	return float64(p.counts.Read+p.counts.Written) / max(p.time.Seconds(), 1e-9)
}
func (p *profile) flopsPerSecond() float64 {
	return float64(p.counts.Operations) / max(p.time.Seconds(), 1e-9)
}

// shares are the rates as fractions of the peaks, or 0 for an unknown peak.
func (p *profile) shares() (memory, arithmetic float64) {
	fraction := func(of, limit float64) float64 {
		if limit == 0 {
			return 0
		}
		return of / limit
	}
	return fraction(p.bytesPerSecond(), p.peak.BytesPerSecond), fraction(p.flopsPerSecond(), p.peak.FlopsPerSecond)
}

// print writes the profile for people.
func (p *profile) print(w io.Writer) {
	memory, arithmetic := p.shares()
	say := func(format string, values ...any) { fmt.Fprintf(w, "         "+format+"\n", values...) }
	fmt.Fprintf(w, "profile  a launch takes %s at the median\n", textfmt.Duration(p.time))
	if p.peak.BytesPerSecond > 0 {
		say("buffers: %s, %s of the %s of its memory%s", bytesRate(p.bytesPerSecond()), percent(memory), bytesRate(p.peak.BytesPerSecond), inBrackets(p.peak.Memory))
	} else {
		say("buffers: %s; its peak memory bandwidth is not known", bytesRate(p.bytesPerSecond()))
	}
	accessed := p.counts.Read + p.counts.Written
	if times := float64(accessed) / float64(max(p.bound, 1)); times > 1.5 {
		say("that is %.1f times the size of the bound buffers: caches serve repeated accesses", times)
	}
	switch {
	case p.counts.Operations == 0:
		say("arithmetic: no operations on floats")
	case p.peak.FlopsPerSecond > 0:
		say("arithmetic: %s, %s of the %s of f32%s", flopsRate(p.flopsPerSecond()), percent(arithmetic), flopsRate(p.peak.FlopsPerSecond), inBrackets(p.peak.Arithmetic))
	default:
		say("arithmetic: %s; its peak arithmetic rate is not known", flopsRate(p.flopsPerSecond()))
	}
	say("%s", p.verdict())
	if p.source != "" {
		say("these limits are %s", p.source)
	}
}

// The thresholds of verdicts.
const (
	shortLaunch = 10 * time.Microsecond // below it, most of the time is that of launching
	// below this fraction of a peak, something else is the limit
	farFrom = 0.25
)

// verdict says which peak the launch is nearer to, and what follows.
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

// percent formats a fraction.
func percent(part float64) string {
	if part < 0.1 {
		return fmt.Sprintf("%.2g %%", 100*part)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// inBrackets returns " (text)", or "" for no text.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// bytesRate and flopsRate format rates, large ones all with the same unit.
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

// significant formats a number with three digits, or all digits of its integer part.
func significant(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// profileForm is a profile in the results for -json.
type profileForm struct {
	Seconds                float64 `json:"seconds"`
	BytesPerSecond         float64 `json:"bytesPerSecond"`
	OperationsPerSecond    float64 `json:"operationsPerSecond"`
	BoundBytes             uint64  `json:"boundBytes"`
	MaxBytesPerSecond      float64 `json:"mostBytesPerSecond,omitempty"`
	MaxOperationsPerSecond float64 `json:"mostOperationsPerSecond,omitempty"`
	Source                 string  `json:"source,omitempty"`
	Verdict                string  `json:"verdict"`
}

// form returns the form of a profile; nil for nil.
func (p *profile) form() *profileForm {
	if p == nil {
		return nil
	}
	return &profileForm{p.time.Seconds(), p.bytesPerSecond(), p.flopsPerSecond(), p.bound, p.peak.BytesPerSecond, p.peak.FlopsPerSecond, p.source, p.verdict()}
}
