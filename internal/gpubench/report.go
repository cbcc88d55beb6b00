package gpubench

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Report writes a table of the results: the time of the first way, the speedup of each other way
// over it, and the throughput of the fastest. The last row has the geometric mean of each way.
func Report(w io.Writer, results []*Result) {
	if len(results) == 0 || len(results[0].Times) == 0 {
		return
	}
	ways := results[0].Times
	fmt.Fprintf(w, "| kernel | %s, ms |", ways[0].Way)
	for _, t := range ways[1:] {
		fmt.Fprintf(w, " %s |", t.Way)
	}
	fmt.Fprint(w, " fastest | spread |\n| --- |")
	for range len(ways) + 2 {
		fmt.Fprint(w, " --- |")
	}
	fmt.Fprintln(w)
	logs := make([]float64, len(ways))
	for _, r := range results {
		fmt.Fprintf(w, "| %s | %.4f |", r.Kernel, r.Times[0].Seconds*1e3)
		least, spread := math.Inf(1), 0.0
		for n, t := range r.Times {
			least, spread = min(least, t.Seconds), max(spread, t.Spread)
			faster := r.Times[0].Seconds / t.Seconds
			logs[n] += math.Log(faster)
			if n > 0 {
				fmt.Fprintf(w, " %.3f |", faster)
			}
		}
		rate, unit := r.Bytes/least/1e9, "GB/s"
		if r.Flops > 0 {
			rate, unit = r.Flops/least/1e9, "GFLOP/s"
		}
		fmt.Fprintf(w, " %.0f %s | %.1f %% |\n", rate, unit, 100*spread)
	}
	fmt.Fprint(w, "| geometric mean | |")
	for _, l := range logs[1:] {
		fmt.Fprintf(w, " %.3f |", math.Exp(l/float64(len(results))))
	}
	fmt.Fprintln(w, " | |")
	reportLibraries(w, results)
	for _, r := range results {
		for _, t := range r.measured() {
			if t.Differs != "" {
				fmt.Fprintf(w, "%s, %s: %s\n", r.Kernel, t.Way, t.Differs)
			}
		}
	}
}

// measured returns the times of all ways and of the library.
func (r *Result) measured() []Time {
	if r.Library == nil {
		return r.Times
	}
	return append(slices.Clone(r.Times), *r.Library)
}

// Wrong counts the ways whose results differ.
func (r *Result) Wrong() (count int) {
	for _, t := range r.measured() {
		if t.Differs != "" {
			count++
		}
	}
	return count
}

// reportLibraries writes a table of the library calls: the time of each call, and the speedup of
// the other ways over it.
func reportLibraries(w io.Writer, results []*Result) {
	first := true
	for _, r := range results {
		if r.Library == nil {
			continue
		}
		if first {
			first = false
			fmt.Fprint(w, "\n| kernel | library | ms |")
			for _, t := range r.Times {
				fmt.Fprintf(w, " %s |", t.Way)
			}
			fmt.Fprint(w, " the library also | spread |\n| --- | --- | --- |")
			for range len(r.Times) + 2 {
				fmt.Fprint(w, " --- |")
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "| %s | %s | %.4f |", r.Kernel, r.Library.Way, r.Library.Seconds*1e3)
		for _, t := range r.Times {
			fmt.Fprintf(w, " %.3f |", r.Library.Seconds/t.Seconds)
		}
		more := ""
		if n := slices.IndexFunc(Libraries, func(l Library) bool { return l.Kernel == r.Kernel }); n >= 0 {
			more = Libraries[n].More
		}
		fmt.Fprintf(w, " %s | %.1f %% |\n", more, 100*r.Library.Spread)
	}
}
