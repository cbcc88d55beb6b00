package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestSummarize holds statistics against values worked out by hand.
func TestSummarize(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for n := range hundred {
		hundred[n] = time.Duration((n*37)%100 + 1) // 1 to 100 in another order
	}
	for _, test := range []struct {
		times []time.Duration
		want  statistics
	}{
		{[]time.Duration{7}, statistics{7, 7, 7, 7}},
		{[]time.Duration{3, 1, 2}, statistics{1, 2, 3, 3}},
		{[]time.Duration{4, 1, 3, 2}, statistics{1, 3, 4, 4}},
		{hundred[:20], statistics{hundred[0], 51, 95, 99}},
		{hundred, statistics{1, 51, 95, 100}},
	} {
		before := fmt.Sprint(test.times)
		// 1, 38, 75, 12, 49, 86, 23, 60, 97, 34, 71, 8, 45, 82, 19, 56, 93, 30, 67, 4: the 11th,
		// the 19th and the 20th by size
		if len(test.times) == 20 {
			test.want = statistics{1, 49, 93, 97}
		}
		if got := summarize(test.times); got != test.want {
			t.Errorf("%v: got %v, want %v", test.times, got, test.want)
		}
		if fmt.Sprint(test.times) != before {
			t.Error("the order of the runs is lost")
		}
	}
}

func TestMetric(t *testing.T) {
	for x, want := range map[float64]string{0: "0 ", 999: "999 ", 1000: "1 k", 1234567: "1.23 M", 2.5e9: "2.5 G", 9.99e15: "9.99e+03 T"} {
		if got := metric(x); got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
}

// TestProgressLine is what terminals show of a run that goes on as it began.
func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		elapsed     time.Duration
		run, runs   int
		done, total uint64
		want        string
	}{
		{12 * time.Second, 0, 1, 250, 1000, " 25 % of 1000 workgroups, 12s of about 48s"},
		{10 * time.Second, 1, 4, 500, 1000, " 37 % of 1000 workgroups, run 2 of 4, 10s of about 27s"},
		{90 * time.Second, 3, 6, 0, 0, " 50 %, run 4 of 6, 1m30s of about 3m0s"},
		{2 * time.Second, 0, 1, 0, 1000, "  0 % of 1000 workgroups, 2s"},
	} {
		if got := progressLine(test.elapsed, test.run, test.runs, test.done, test.total); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestProgressIsForTerminals: nothing is written elsewhere, and what is written is removed.
func TestProgressIsForTerminals(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for terminal, want := range map[bool]string{false: "", true: "\r\033[K\033[?7l 50 %, run 2 of 2, 2s of about 4s\033[?7h\r\033[K"} {
		var stderr bytes.Buffer
		p := (&environment{stderr: &stderr, terminal: terminal}).showProgress(device, 2)
		p.began = p.began.Add(-2 * time.Second)
		p.finish()
		p.stop(device)
		if stderr.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, stderr.String(), want)
		}
	}
}

// TestTrace reads a trace as a viewer does: events with a beginning and a length that are nested or
// apart.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1; }", 0o644)
	var stdout, stderr bytes.Buffer
	if code := gpuc.execute(&environment{stdout: &stdout, stderr: &stderr}, []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=1", "-grid", "1",
		"-repeat", "2", "-out", "x=x.bin", "-trace", "t.json"}); code != 0 {
		t.Fatal(stderr.String())
	}
	data, err := os.ReadFile("t.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       float64
			Pid, Tid      int
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		seen[e.Cat+": "+e.Name]++
		for _, other := range file.TraceEvents[:n] {
			if other.Ph != "X" || other.Tid != e.Tid {
				continue
			}
			apart := e.Ts >= other.Ts+other.Dur-0.01 || other.Ts >= e.Ts+e.Dur-0.01
			within := e.Ts >= other.Ts-0.01 && e.Ts+e.Dur <= other.Ts+other.Dur+0.01
			around := other.Ts >= e.Ts-0.01 && other.Ts+other.Dur <= e.Ts+e.Dur+0.01
			if e.Dur < 0 || !apart && !within && !around {
				t.Errorf("%+v crosses %+v", e, other)
			}
		}
	}
	for _, want := range []string{"compile: front end", "compile: parse", "compile: check", "compile: lower to IR", "compile: compile for cpu", "compile: copy the kernel", "compile: mem2reg", "compile: verify",
		"compile: emit", "device: load the code", "upload: upload x",
		"launch: warm-up 1", "launch: run 1", "launch: run 2", "read: read x", "write: write x.bin"} {
		if seen[want] == 0 {
			t.Errorf("there is no event %s in %v", want, seen)
		}
	}
}

// TestPlot reads a plot as a viewer does, and finds each time at its height.
func TestPlot(t *testing.T) {
	times := []time.Duration{time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}
	d := xml.NewDecoder(bytes.NewReader(plot("a < b", times, []plotLine{{"p95", "#c60", times[2]}, {"median", "#06c", times[1]}, {"fastest", "#090", times[0]}})))
	var heights []string
	text := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "circle" {
				for _, a := range e.Attr {
					if a.Name.Local == "cy" {
						heights = append(heights, a.Value)
					}
				}
			}
		case xml.CharData:
			text += string(e)
		}
	}
	// the axis goes from 0 at 316 to 4 ms at 40: 69 pixels a millisecond
	if got := strings.Join(heights, " "); got != "247.0 178.0 40.0" {
		t.Errorf("the times are at %s", got)
	}
	for _, want := range []string{"a < b", "median", "p95", "fastest", "run, 1 to 3", "4.000 ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

// TestInOrder: where bytes are in the other order, nothing is run.
func TestInOrder(t *testing.T) {
	if err := inOrder(binary.LittleEndian); err != nil {
		t.Error(err)
	}
	if err := inOrder(binary.BigEndian); err == nil || !strings.Contains(err.Error(), "gpuc build") {
		t.Errorf("got %v", err)
	}
}

// TestSlowNote: only a long run on a CPU that nobody chose speaks of a software device, if there is
// one.
func TestSlowNote(t *testing.T) {
	software := func() ([]gpu.Info, error) {
		return []gpu.Info{{Driver: gpu.CPU, Kind: driver.CPU}, {Driver: gpu.Vulkan, Name: "llvmpipe", Kind: driver.Software}}, nil
	}
	none := func() ([]gpu.Info, error) { return nil, nil }
	on := gpu.Info{Driver: gpu.CPU}
	for _, test := range []struct {
		chosen   string
		on       gpu.Info
		took     time.Duration
		compiles bool
		devices  func() ([]gpu.Info, error)
		said     bool
	}{
		{"auto", on, time.Second, false, software, true},
		{"auto", on, time.Second, true, software, false},
		{"auto", on, time.Second, false, none, false},
		{"auto", on, time.Millisecond, false, software, false},
		{"cpu", on, time.Second, false, software, false},
		{"auto", gpu.Info{Driver: gpu.CUDA}, time.Second, false, software, false},
	} {
		if got := slowNote(test.chosen, test.on, test.took, test.compiles, test.devices); strings.Contains(got, "-device vulkan:0") != test.said || !test.said && got != "" {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
