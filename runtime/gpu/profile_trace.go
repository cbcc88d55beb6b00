// Traces: the events of a profile in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// Chrome show.

package gpu

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
)

// WriteTrace writes the events that are kept, for ui.perfetto.dev: timed launches, replays and
// asynchronous copies on a track for each stream, and calls, waits and ranges of the host. Launches
// that were not timed are not there: MaxOverhead 1 has them all.
//
// The host's clock and the device's are brought together by the launch that began soonest after it
// was enqueued. So a device may seem earlier than it was, by the start of that launch.
func (p *Profile) WriteTrace(w io.Writer) error { return p.WriteTraceSince(w, time.Time{}) }

// WriteTraceSince is WriteTrace without what ended before a time.
func (p *Profile) WriteTraceSince(w io.Writer, since time.Time) error {
	switch {
	case !p.valid():
		return invalid("write a trace", profileMaker)
	case w == nil:
		return fmt.Errorf("write a trace: %w: the writer is nil", ErrShape)
	}
	if profiling.Load() == p {
		p.collect()
	}
	list, dropped := p.events.copied()
	p.mutex.Lock()
	devices := slices.Clone(p.devices)
	p.mutex.Unlock()
	for _, of := range devices {
		of.mutex.Lock()
		for n := range list {
			if list[n].device == of {
				list[n].begin += of.lag
			}
		}
		of.mutex.Unlock()
	}
	if !since.IsZero() {
		after := since.Sub(p.started)
		list = slices.DeleteFunc(list, func(e event) bool { return e.begin+e.took < after })
	}
	t := traceWriter{Writer: bufio.NewWriter(w)}
	t.header(devices, dropped)
	t.events(list)
	t.WriteString("\n]}\n")
	return t.Flush()
}

// traceWriter writes a trace. Its errors come from Flush.
type traceWriter struct {
	*bufio.Writer
	follows bool
}

// Processes of the trace: the host, and each device.
const (
	hostProcess  = 1
	firstProcess = 2
)

// object writes an object of the list of events, from pairs of names and values.
func (t *traceWriter) object(pairs ...any) {
	if t.follows {
		t.WriteByte(',')
	}
	t.follows = true
	t.WriteString("\n")
	t.pairs(pairs)
}

func (t *traceWriter) pairs(pairs []any) {
	t.WriteByte('{')
	for n := 0; n < len(pairs); n += 2 {
		if n > 0 {
			t.WriteByte(',')
		}
		t.value(pairs[n])
		t.WriteByte(':')
		t.value(pairs[n+1])
	}
	t.WriteByte('}')
}

func (t *traceWriter) value(v any) {
	switch v := v.(type) {
	case int:
		t.WriteString(strconv.Itoa(v))
	case uint64:
		t.WriteString(strconv.FormatUint(v, 10))
	case time.Duration: // in microseconds
		t.WriteString(strconv.FormatFloat(float64(v.Nanoseconds())/1e3, 'f', 3, 64))
	case []any:
		t.pairs(v)
	default:
		text, _ := json.Marshal(v) // of a string, which has no error
		t.Write(text)
	}
}

// header writes the names of processes.
func (t *traceWriter) header(devices []*profiledDevice, dropped uint64) {
	t.WriteString(`{"displayTimeUnit":"ns","otherData":`)
	t.pairs([]any{"writer", "gpuc", "droppedEvents", dropped})
	t.WriteString(`,"traceEvents":[`)
	name := func(process int, text string) {
		t.object("ph", "M", "name", "process_name", "pid", process, "tid", 0, "args", []any{"name", text})
		t.object("ph", "M", "name", "process_sort_index", "pid", process, "tid", 0, "args", []any{"sort_index", process})
	}
	name(hostProcess, "host")
	for _, of := range devices {
		name(firstProcess+of.number, of.info.ID()+" "+of.info.Name)
	}
}

// owner is what tracks belong to: a process and a stream in it, or 0.
type owner struct{ process, stream int }

// events writes complete events. The tracks of an owner are as many as it takes for events either
// to follow each other or to lie within each other, as the format demands.
func (t *traceWriter) events(list []event) {
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.took, a.took)) })
	tracks := map[owner][][]time.Duration{} // the ends of what is open, the outermost first
	for n := range list {
		e := &list[n]
		at := owner{process: hostProcess}
		if e.device != nil {
			at = owner{firstProcess + e.device.number, e.track}
		}
		begin, end := e.begin, e.begin+e.took
		row := slices.IndexFunc(tracks[at], func(open []time.Duration) bool { return fits(open, begin, end) })
		if row < 0 {
			row = len(tracks[at])
			tracks[at] = append(tracks[at], nil)
		}
		tracks[at][row] = append(unfinished(tracks[at][row], begin), end)
		args := []any{}
		if e.did.Bytes > 0 {
			args = append(args, "bytes", e.did.Bytes)
		}
		if e.did.FLOPs > 0 {
			args = append(args, "flops", e.did.FLOPs)
		}
		t.object("ph", "X", "name", e.name, "cat", category(e), "pid", at.process, "tid", thread(at, row), "ts", begin, "dur", e.took, "args", args)
	}
	owners := slices.SortedFunc(maps.Keys(tracks), func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.stream, b.stream))
	})
	for _, at := range owners {
		for row := range tracks[at] {
			text := "calls"
			if at.stream > 0 {
				text = fmt.Sprintf("stream %d", at.stream)
			}
			t.object("ph", "M", "name", "thread_name", "pid", at.process, "tid", thread(at, row), "args", []any{"name", text})
		}
	}
}

// fits reports whether an event lies within what is open of a track, once what has ended is gone.
func fits(open []time.Duration, begin, end time.Duration) bool {
	open = unfinished(open, begin)
	return len(open) == 0 || open[len(open)-1] >= end
}

// unfinished drops the ends of events that have ended at some time.
func unfinished(open []time.Duration, at time.Duration) []time.Duration {
	for len(open) > 0 && open[len(open)-1] <= at {
		open = open[:len(open)-1]
	}
	return open
}

// thread is the number of a track.
func thread(at owner, row int) int {
	const most = 1000 // rows of a stream
	return at.stream*most + min(row, most-1) + 1
}

// category is what kind of event it is.
func category(e *event) string {
	if e.device != nil {
		return "device"
	}
	return "host"
}
