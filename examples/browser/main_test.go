package main

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestLongest(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var text strings.Builder
	if err := longest(&text, device, 10000); err != nil {
		t.Fatal(err)
	}
	if want := "6171 has 261 steps, by cpu:0\n"; text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}
