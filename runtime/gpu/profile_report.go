// What a profile says: a report, and the same as a table.

package gpu

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gpuc/gpuc/runtime/driver"
)

// ProfileReport is what a profile has measured until a moment.
type ProfileReport struct {
	// Took is the time since the start of the profile.
	Took    time.Duration
	Devices []DeviceReport
	// Ranges are those of StartRange, by name.
	Ranges []WorkReport
}

// DeviceReport is what a profile has measured of a device. The lists have what took longest first.
type DeviceReport struct {
	Info      Info
	Kernels   []WorkReport // what replays launch is counted, but not timed
	Replays   []WorkReport
	Transfers []WorkReport
	Waits     []WorkReport // of the host
	// Busy is the time of kernels, replays and asynchronous copies. Streams may overlap.
	Busy time.Duration
	// Reserving are the calls that got memory of the driver.
	Reserving WorkReport
	// Memory is that of Device.Memory. Allocs, Frees, BlocksReserved, BlocksFreed, Waits and
	// Failures count from the start of the profile.
	Memory MemoryStats
	// Limitations are sentences on what could not be measured.
	Limitations []string
}

// WorkReport is what a profile has measured of a kernel, or of another kind of work.
type WorkReport struct {
	Name string
	// Count is how often the program has called for the work, and Replayed how often replays have.
	Count, Replayed uint64
	// Timed is how many of Count have a time that is known. Total is estimated if these are fewer.
	Timed              uint64
	Total, Least, Most time.Duration
	// Bytes and FLOPs are of all Count together, 0 if unknown. Guessed says that they are, at least
	// for some launches, the bytes of the buffers, and not what Stream.Expect says.
	Bytes, FLOPs uint64
	Guessed      bool
	// The rates are those of the timed work, 0 if unknown.
	BytesPerSecond, FLOPsPerSecond float64
	// Share is the part that this is of the device's limit (Info.Peak), and Limit which one:
	// "memory" or "arithmetic", whatever is nearer; "" if unknown.
	Share float64
	Limit string
}

// Mean is the mean time, or 0 if no time is known.
func (w WorkReport) Mean() time.Duration {
	if w.Count == 0 {
		return 0
	}
	return w.Total / time.Duration(w.Count)
}

// Report returns what was measured so far. Work that has not finished is counted, and its time is
// not known yet. It is zero for a nil or zero Profile.
func (p *Profile) Report() ProfileReport {
	if !p.valid() {
		return ProfileReport{}
	}
	if profiling.Load() == p {
		p.collect()
	}
	r := ProfileReport{Took: p.took(), Ranges: workReports(&p.ranges, driver.Peak{})}
	p.mutex.Lock()
	devices := slices.Clone(p.devices)
	open := map[*profiledDevice]*Device{}
	for d, of := range p.open {
		open[of] = d
	}
	p.mutex.Unlock()
	for _, of := range devices {
		r.Devices = append(r.Devices, of.report(open[of]))
	}
	return r
}

// report returns the report of a device, which is nil if it is closed.
func (of *profiledDevice) report(d *Device) DeviceReport {
	peak := driver.PeakOf(&of.info)
	r := DeviceReport{
		Info: of.info, Kernels: workReports(&of.kernels, peak), Replays: workReports(&of.replays, peak),
		Transfers: workReports(&of.copies, driver.Peak{}), Waits: workReports(&of.waits, driver.Peak{}),
		Reserving: of.reserving.report(driver.Peak{}),
	}
	before, now := of.memory(d)
	now.Allocs -= before.Allocs
	now.Frees -= before.Frees
	now.BlocksReserved -= before.BlocksReserved
	now.BlocksFreed -= before.BlocksFreed
	now.Waits -= before.Waits
	now.Failures -= before.Failures
	r.Memory = now
	for _, list := range [][]WorkReport{r.Kernels, r.Replays} {
		for n := range list {
			r.Busy += list[n].Total
		}
	}
	for n := range r.Transfers {
		if w := &r.Transfers[n]; isAsynchronous(w.Name) {
			r.Busy += w.Total
		}
	}
	of.mutex.Lock()
	defer of.mutex.Unlock()
	r.Limitations = slices.Sorted(maps.Keys(of.limitations))
	return r
}

// isAsynchronous reports whether a device, and not the host, has timed copies of a kind.
func isAsynchronous(kind string) bool {
	return kind == copyWriteAsync || kind == copyReadAsync || kind == copyOnDevice
}

// workReports returns the reports of tallies, what took longest first.
func workReports(s *tallies, peak driver.Peak) (list []WorkReport) {
	for _, w := range s.all() {
		list = append(list, w.report(peak))
	}
	slices.SortStableFunc(list, func(a, b WorkReport) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count+b.Replayed, a.Count+a.Replayed), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (w *tally) report(peak driver.Peak) WorkReport {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count, did := w.sums()
	r := WorkReport{Name: w.name, Count: count, Replayed: w.replayed.Load(), Timed: w.timed, Least: w.least, Most: w.most,
		Bytes: did.Bytes, FLOPs: did.FLOPs, Guessed: w.guessed.Load()}
	if w.covered == 0 || w.took <= 0 {
		return r
	}
	r.Total = time.Duration(w.took / float64(w.covered) * float64(max(r.Count, w.covered)))
	seconds := w.took / 1e9
	r.BytesPerSecond, r.FLOPsPerSecond = w.bytesIn/seconds, w.ops/seconds
	if peak.BytesPerSecond > 0 {
		r.Share, r.Limit = r.BytesPerSecond/peak.BytesPerSecond, "memory"
	}
	if peak.FlopsPerSecond > 0 && r.FLOPsPerSecond/peak.FlopsPerSecond > r.Share {
		r.Share, r.Limit = r.FLOPsPerSecond/peak.FlopsPerSecond, "arithmetic"
	}
	if r.Share == 0 {
		r.Limit = ""
	}
	return r
}

// String returns the report as tables for people.
func (r ProfileReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "profile of %s\n", timeText(r.Took))
	for n := range r.Devices {
		if of := &r.Devices[n]; !of.isIdle() {
			of.print(&b, r.Took)
		}
	}
	if len(r.Ranges) > 0 {
		b.WriteString("\nranges of the program\n")
		printTable(&b, []string{"range", "count", "total", "mean", "least", "most"}, r.Ranges, func(w *WorkReport) []string {
			return []string{w.Name, fmt.Sprint(w.Count), timeText(w.Total), timeText(w.Mean()), timeText(w.Least), timeText(w.Most)}
		})
	}
	return b.String()
}

// isIdle reports whether the program has not used the device.
func (r *DeviceReport) isIdle() bool {
	return len(r.Kernels)+len(r.Replays)+len(r.Transfers)+len(r.Waits) == 0 && r.Memory.Allocs == 0
}

func (r *DeviceReport) print(b *strings.Builder, took time.Duration) {
	fmt.Fprintf(b, "\n%s, %s: busy for %s, %s of the time\n", r.Info.ID(), r.Info.Name, timeText(r.Busy), percent(r.Busy.Seconds()/max(took.Seconds(), 1e-9)))
	guessed, estimated := false, false
	work := func(w *WorkReport) []string {
		sign := ""
		if w.Guessed && w.BytesPerSecond > 0 {
			sign, guessed = "≤ ", true
		}
		about := ""
		if w.Timed < w.Count && w.Timed > 0 {
			about, estimated = "~", true
		}
		share := "0 %"
		if r.Busy > 0 {
			share = percent(w.Total.Seconds() / r.Busy.Seconds())
		}
		limit := ""
		if w.Limit != "" {
			limit = percent(w.Share) + " of " + w.Limit
			if w.Limit == "memory" {
				limit = sign + limit
			}
		}
		return []string{w.Name, fmt.Sprint(w.Count), fmt.Sprint(w.Replayed), fmt.Sprint(w.Timed), known(w, about+timeText(w.Total)), known(w, share), known(w, about+timeText(w.Mean())),
			known(w, timeText(w.Least)), known(w, timeText(w.Most)), rate(w.BytesPerSecond, "B/s", sign), rate(w.FLOPsPerSecond, "FLOP/s", ""), limit}
	}
	if len(r.Kernels) > 0 {
		printTable(b, []string{"kernel", "launches", "replayed", "timed", "total", "share", "mean", "least", "most", "memory", "arithmetic", "limit"}, r.Kernels, work)
	}
	if len(r.Replays) > 0 {
		printTable(b, []string{"replay", "count", "", "timed", "total", "share", "mean", "least", "most", "memory", "arithmetic", "limit"}, r.Replays, func(w *WorkReport) []string {
			row := work(w)
			row[2] = ""
			return row
		})
	}
	if len(r.Transfers) > 0 {
		printTable(b, []string{"copies", "count", "bytes", "total", "mean", "most", "rate"}, r.Transfers, func(w *WorkReport) []string {
			return []string{w.Name, fmt.Sprint(w.Count), metric(float64(w.Bytes)) + "B", known(w, timeText(w.Total)), known(w, timeText(w.Mean())), known(w, timeText(w.Most)), rate(w.BytesPerSecond, "B/s", "")}
		})
	}
	if len(r.Waits) > 0 {
		printTable(b, []string{"waits of the host", "count", "total", "mean", "most"}, r.Waits, func(w *WorkReport) []string {
			return []string{w.Name, fmt.Sprint(w.Count), timeText(w.Total), timeText(w.Mean()), timeText(w.Most)}
		})
	}
	m := &r.Memory
	fmt.Fprintf(b, "  memory: %d allocations, %d requests to the driver in %s; %sB in use, %sB at the peak, %sB reserved\n",
		m.Allocs, m.BlocksReserved, timeText(r.Reserving.Total), metric(float64(m.InUse)), metric(float64(m.Peak)), metric(float64(m.Reserved)))
	if guessed {
		b.WriteString("  ≤: the bytes are those of the kernel's buffers; Stream.Expect says more\n")
	}
	if estimated {
		b.WriteString("  ~: estimated from the launches that were timed\n")
	}
	for _, l := range r.Limitations {
		fmt.Fprintf(b, "  %s\n", l)
	}
}

// known returns a text, or a dash if no time is known.
func known(w *WorkReport, text string) string {
	if w.Timed == 0 {
		return "-"
	}
	return text
}

// printTable prints rows in columns: the first to the left, the others to the right.
func printTable(b *strings.Builder, head []string, list []WorkReport, row func(w *WorkReport) []string) {
	rows := [][]string{head}
	for n := range list {
		rows = append(rows, row(&list[n]))
	}
	for c := range head { // columns without anything are left out
		if !slices.ContainsFunc(rows[1:], func(r []string) bool { return r[c] != "" && r[c] != "0" }) && c > 1 {
			for _, r := range rows {
				r[c] = ""
			}
		}
	}
	widths := make([]int, len(head))
	for _, r := range rows {
		for c, text := range r {
			widths[c] = max(widths[c], utf8.RuneCountInString(text))
		}
	}
	for _, r := range rows {
		for c, text := range r {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text))
			switch {
			case c == 0:
				b.WriteString("  " + text + pad)
			case widths[c] > 0:
				b.WriteString("  " + pad + text)
			}
		}
		b.WriteByte('\n')
	}
}

// timeText formats a time with three digits.
func timeText(t time.Duration) string {
	for _, unit := range [...]struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if t >= unit.size {
			return digits(float64(t)/float64(unit.size)) + " " + unit.name
		}
	}
	return fmt.Sprintf("%d ns", t.Nanoseconds())
}

// metric formats a number with a prefix: "4.8 T".
func metric(x float64) string {
	for _, unit := range [...]struct {
		size   float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= unit.size {
			return digits(x/unit.size) + " " + unit.prefix
		}
	}
	return digits(x) + " "
}

func rate(x float64, unit, sign string) string {
	if x == 0 {
		return ""
	}
	return sign + metric(x) + unit
}

// percent formats a fraction.
func percent(x float64) string {
	if x < 0.1 {
		return fmt.Sprintf("%.2g %%", 100*x)
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// digits formats a number with three digits, or all digits of its integer part.
func digits(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
