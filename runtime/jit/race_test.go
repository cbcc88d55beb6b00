package jit_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestRacingStreams runs a program whose streams write the same memory unordered: the race detector
// reports it, with the lines that made the streams. With an atomic operation, or a wait between the
// launches, it reports nothing. The program is this one, run again.
func TestRacingStreams(t *testing.T) {
	if how := os.Getenv("GPUC_RACING"); how != "" {
		race(t, how)
		return
	}
	if !drivertest.RaceEnabled {
		t.Skip("skipped: this is about the race detector; it runs with -race")
	}
	// machine code is no code of Go's, which the detector would follow
	for _, tier := range []string{"vector", "interpreter"} {
		for how, found := range map[string]bool{"plain": true, "atomic": false, "wait": false} {
			c := exec.Command(os.Args[0], "-test.run=^TestRacingStreams$")
			c.Env = append(os.Environ(), "GPUC_RACING="+how, "GPUC_CPU="+tier, "GORACE=halt_on_error=1")
			said, err := c.CombinedOutput()
			text := string(said)
			if strings.Contains(text, "WARNING: DATA RACE") != found || (err != nil) != found {
				t.Errorf("%s on %s: %v\n%s", how, tier, err, text)
			}
			if _, made, _ := strings.Cut(text, "created at:"); found && strings.Count(made, "race_test.go:") < 2 {
				t.Errorf("%s on %s: the lines that made the streams are not in\n%s", how, tier, text)
			}
		}
	}
}

// race launches on two streams with one buffer.
func race(t *testing.T, how string) {
	statement := map[string]string{"plain": "x[g.x] = x[g.x] * 5u + g.x;", "atomic": "atomicAdd(&x[g.x], g.x);", "wait": "x[g.x] = x[g.x] * 5u + g.x;"}[how]
	element := map[bool]string{true: "atomic<u32>", false: "u32"}[how == "atomic"]
	source := fmt.Sprintf("@group(0) @binding(0) var<storage, read_write> x: array<%s>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { %s }", element, statement)
	device := must(gpu.Open(gpu.Named(gpu.CPU)))(t)
	defer device.Close()
	kernel := must(must(jit.Parse("race.wgsl", source, codegen.Options{}))(t).Load(device, "main"))(t)
	x := must(gpu.Alloc[uint32](device, 64))(t)
	first := must(device.NewStream())(t)
	second := must(device.NewStream())(t)
	for range 1000 {
		for _, s := range []*gpu.Stream{first, second} {
			if err := s.Run(kernel, gpu.D1(1), x); err != nil {
				t.Fatal(err)
			}
			if how == "wait" {
				if err := s.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, s := range []*gpu.Stream{first, second} {
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
