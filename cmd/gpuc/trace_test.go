package main

import (
	"encoding/json"
	"testing"
)

// TestTrace: the events of a trace are nested or do not overlap, and the stages of a run are there.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1; }")
	succeed(t, "run", "k.wgsl", "-device", "cpu", "-bind", "x=1", "-grid", "1",
		"-repeat", "2", "-out", "x=x.bin", "-trace", "t.json")
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       float64
			Pid, Tid      int
		}
	}
	if err := json.Unmarshal([]byte(read(t, "t.json")), &file); err != nil {
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
