// Package chrometrace writes what a run does and when in the Trace Event Format, which Chrome and
// Perfetto (ui.perfetto.dev) show.
package chrometrace

import (
	"encoding/json"
	"time"

	"github.com/gpuc/gpuc/opt"
)

// Signature is how the files begin.
const Signature = `{"displayTimeUnit":"ns","otherData":{"gpuc":`

// Trace collects events. A nil Trace collects nothing.
type Trace struct {
	Began  time.Time // time 0
	events []traceEvent
}

// traceEvent is a complete event. Times are in microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	Phase    string         `json:"ph"`
	Start    float64        `json:"ts"`
	Duration float64        `json:"dur"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// The rows of a trace (threads of the format).
const (
	hostRow = 1
	// an event begins when the host launches, as only durations of the device are known
	DeviceRow = 2
)

// Span begins an event of the host, and returns the function that ends it.
func (t *Trace) Span(category, name string) (end func()) {
	if t == nil {
		return func() {}
	}
	start := time.Now()
	return func() { t.Add(hostRow, category, name, start, time.Since(start)) }
}

// Add adds an event.
func (t *Trace) Add(row int, category, name string, start time.Time, took time.Duration) {
	if t != nil {
		t.events = append(t.events, traceEvent{Name: name, Category: category, Phase: "X", Start: microseconds(start.Sub(t.Began)),
			Duration: microseconds(took), Process: 1, Thread: row})
	}
}

// Stages returns the function that begins the event of a front end's stage; nil if t is nil.
func (t *Trace) Stages() func(name string) (end func()) {
	if t == nil {
		return nil
	}
	return func(name string) func() { return t.Span("compile", name) }
}

// Compilation adds the passes and the stages of a compilation.
func (t *Trace) Compilation(c *opt.Context) {
	for _, p := range c.Times {
		t.Add(hostRow, "compile", p.Pass.Name, p.Start, p.Time)
	}
	for _, s := range c.Stages {
		t.Add(hostRow, "compile", s.Name, s.Start, s.Time)
	}
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// Encode returns the file. Version is that of gpuc.
func (t *Trace) Encode(version string) ([]byte, error) {
	events := make([]any, 0, len(t.events)+2)
	for _, e := range t.events {
		events = append(events, e)
	}
	for n, name := range []string{"host", "device"} {
		events = append(events, map[string]any{"name": "thread_name", "ph": "M", "pid": 1, "tid": hostRow + n, "args": map[string]string{"name": name}})
	}
	data, err := json.Marshal(events)
	if err != nil {
		return nil, err
	}
	made, err := json.Marshal(version)
	if err != nil {
		return nil, err
	}
	return []byte(Signature + string(made) + "},\n\"traceEvents\":" + string(data) + "}\n"), nil
}
