package main

import (
	"context"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestAdd(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	sum := make([]float32, 3)
	if err := RunAdd(context.Background(), device, gpu.D1(1), []float32{1, 2, 3}, []float32{0.5, 0.25, -3}, sum); err != nil {
		t.Fatal(err)
	}
	if [3]float32(sum) != [3]float32{1.5, 2.25, 0} {
		t.Errorf("got %v", sum)
	}
	var text strings.Builder
	if err := add(&text, device, 1000); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "999 + 1998 = 2997\n") {
		t.Errorf("it says %q", text.String())
	}
}
