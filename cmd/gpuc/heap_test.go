package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/peak"
)

// TestBuildHeap bounds the heap of gpuc build, with garbage, by 8 MB and 100 bytes for each byte of
// source. Package codegen/all measures live data alone.
func TestBuildHeap(t *testing.T) {
	var text strings.Builder
	text.WriteString("@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n" +
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n  var x = f32(id.x);\n")
	for n := range 4000 {
		fmt.Fprintf(&text, "  x=x*%d.5+x/(x-%d.25);\n", n, n)
	}
	text.WriteString("  o[id.x] = x;\n}\n")
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", text.String())
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	bound := uint64(8<<20 + 100*text.Len())
	best := peak.Within(bound, func() { succeed(t, "build", "a.wgsl") })
	t.Logf("%d bytes of source, %d bytes of heap, bound %d", text.Len(), best, bound)
	if best > bound {
		t.Errorf("%d bytes of source take %d bytes of heap; the bound is %d", text.Len(), best, bound)
	}
	if after := debug.SetGCPercent(percent); after != percent {
		t.Errorf("gpuc build leaves the collector at %d %%, and found it at %d", after, percent)
	}
}
