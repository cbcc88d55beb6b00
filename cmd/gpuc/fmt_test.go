package main

import (
	"os"
	"testing"
)

// TestFmtWrites: -w writes a file that is not formatted, and does not write a formatted one.
func TestFmtWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", "const a=1;")
	succeed(t, "fmt", "-w", "a.wgsl")
	written, err := os.Stat("a.wgsl")
	if text := read(t, "a.wgsl"); err != nil || text != "const a = 1;\n" {
		t.Errorf("a.wgsl has %q, %v", text, err)
	}
	succeed(t, "fmt", "-w", "a.wgsl")
	if again, err := os.Stat("a.wgsl"); err != nil || !os.SameFile(written, again) {
		t.Errorf("a file that was formatted is written (%v)", err)
	}
}
