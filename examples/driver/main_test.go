package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestRun(t *testing.T) {
	var text strings.Builder
	if err := run(&text); err != nil {
		t.Fatal(err)
	}
	if want := "a toy (toy:0): [12 24 36 48]\n"; text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}

// TestBuffers uses the device as a program does that keeps its data there: memory of the pool,
// copies, streams and events.
func TestBuffers(t *testing.T) {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named("toy"), gpu.Driver(&toyDriver{kernels: kernels}))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	s, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	x, err := gpu.Upload(ctx, device, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		y, err := gpu.Alloc[float32](s, 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := LaunchSaxpy(s, gpu.D1(1), 10, x, y); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]float32, 3)
		if err := y.Read(ctx, s, got); err != nil {
			t.Fatal(err)
		}
		if [3]float32(got) != [3]float32{20, 40, 60} {
			t.Errorf("got %v", got)
		}
		if err := y.Close(); err != nil { // the next one has its memory, as zeros
			t.Error(err)
		}
	}
}

func TestPartialWorkgroup(t *testing.T) {
	device, err := gpu.Open(gpu.Driver(&toyDriver{kernels: kernels}))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	err = RunSaxpy(context.Background(), device, gpu.Items1(1), 1, []float32{1}, []float32{1})
	if !errors.Is(err, gpu.ErrShape) || !strings.Contains(err.Error(), "a launch of WGSL has whole ones") {
		t.Errorf("got %v", err)
	}
}

func TestUnknownKernel(t *testing.T) {
	device, err := gpu.Open(gpu.Driver(&toyDriver{}))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	err = RunSaxpy(context.Background(), device, gpu.D1(1), 1, []float32{1}, []float32{1})
	if !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "the toy does not know it") {
		t.Errorf("got %v", err)
	}
}
