package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestServe(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var text strings.Builder
	if err := serve(&text, device, 100, 3); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`3 becomes (\S+)\n`).FindStringSubmatch(text.String())
	if m == nil {
		t.Fatalf("it says %q", text.String())
	}
	got, err := strconv.ParseFloat(m[1], 64)
	if want := 3 * math.Pow(1.01, layers); err != nil || math.Abs(got-want) > 1e-3 {
		t.Errorf("got %v, want %v", m[1], want)
	}
}
