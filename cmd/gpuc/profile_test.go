package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestProfileRuns: the sentences stand in the report of a run, whose counts are those by hand, and
// it is not combined with what counts nothing.
func TestProfileRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] * x[id.x ^ 1] + x[id.x ^ 2]; }", 0o644)
	var stdout, stderr bytes.Buffer
	line := []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=range(640)", "-grid", "10", "-profile"}
	if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr}, line); code != 0 {
		t.Fatal(stderr.String())
	}
	for _, want := range []string{" of 10 launches, each between two readings of the host's clock, after 1 more\n", "7680 bytes read, 2560 written, 1280 floating-point operations", "\nprofile  a launch takes ", " of its memory (what copying was measured to move on all cores)\n",
		"; what it computes at most is not known\n", "         it is at ", "         that is 2.0 times the size of the bound buffers: "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &stdout)
		}
	}
	if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr}, append(line, "-count", "never")); code != cli.ExitUsage || !strings.Contains(stderr.String(), "-count=never counts nothing") {
		t.Errorf("ends with %d and says %s", code, &stderr)
	}
}
