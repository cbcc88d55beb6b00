package main

import (
	"encoding/json"
	"time"

	"github.com/gpuc/gpuc/opt"
)

// This file is -trace: what a run does and when, in the trace event format that Chrome and Perfetto
// show ("Trace Event Format", complete events).

// traceFile is a file that -trace has written.
var traceFile = fileKind{beginsWith(traceStart), "gpuc run -trace did not make it"}

const traceStart = `{"displayTimeUnit":"ns","otherData":{"gpuc":`

// trace collects events. A nil one collects nothing.
type trace struct {
	began  time.Time
	events []traceEvent
}

// traceEvent is something that took time, in microseconds.
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

// The rows of a trace.
const (
	hostRow   = 1
	deviceRow = 2 // of which only the lengths are known: an event begins when the host launches
)

// span begins an event of the host; the result ends it.
func (t *trace) span(category, name string) (end func()) {
	if t == nil {
		return func() {}
	}
	start := time.Now()
	return func() { t.add(hostRow, category, name, start, time.Since(start)) }
}

func (t *trace) add(row int, category, name string, start time.Time, took time.Duration) {
	if t != nil {
		t.events = append(t.events, traceEvent{Name: name, Category: category, Phase: "X", Start: microseconds(start.Sub(t.began)),
			Duration: microseconds(took), Process: 1, Thread: row})
	}
}

// stages returns what begins a stage of the front end, or nil.
func (t *trace) stages() func(name string) (end func()) {
	if t == nil {
		return nil
	}
	return func(name string) func() { return t.span("compile", name) }
}

// compilation adds the passes of a compilation, and its other stages.
func (t *trace) compilation(c *opt.Context) {
	for _, p := range c.Times {
		t.add(hostRow, "compile", p.Pass.Name, p.Start, p.Time)
	}
	for _, s := range c.Stages {
		t.add(hostRow, "compile", s.Name, s.Start, s.Time)
	}
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// file is the whole trace.
func (t *trace) file(version string) ([]byte, error) {
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
	return []byte(traceStart + string(made) + "},\n\"traceEvents\":" + string(data) + "}\n"), nil
}
