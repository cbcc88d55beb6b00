package main

import (
	"strings"
	"testing"
)

// TestIsVet: what go vet calls a tool with is told from gpuc's own command lines.
func TestIsVet(t *testing.T) {
	for line, want := range map[string]bool{
		"-V=full": true, "-flags": true, "/tmp/b001/vet.cfg": true, "-json /tmp/b001/vet.cfg": true, "-gpuc -c=2 vet.cfg": true,
		"": false, "help": false, "-version": false, "-v": false, "build a.cfg": false, "check -json a.cfg": false, "-h": false, "version": false,
	} {
		if got := isVet(strings.Fields(line)); got != want {
			t.Errorf("gpuc %s: %v", line, got)
		}
	}
}
