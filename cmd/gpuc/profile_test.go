package main

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestProfileRuns: the report of a run has the profile, with the counts found by hand. -profile is
// refused without counts.
func TestProfileRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] * x[id.x ^ 1] + x[id.x ^ 2]; }")
	line := []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=range(640)", "-grid", "10", "-profile"}
	stdout, _ := succeed(t, line...)
	for _, want := range []string{" of 10 launches, each between two readings of the host's clock, after 1 more\n", "7680 bytes read, 2560 written, 1280 floating-point operations", "\nprofile  a launch takes ", " of its memory (what copying was measured to move on all cores)\n",
		"; what it computes at most is not known\n", "         it is at ", "         that is 2.0 times the size of the bound buffers: "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("there is no %q in\n%s", want, stdout)
		}
	}
	if _, said, code := execute(append(line, "-count", "never")...); code != cli.ExitUsage || !strings.Contains(said, "-count=never counts nothing") {
		t.Errorf("ends with %d and says %s", code, said)
	}
}
