package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestRun compares some results of all kernels with float64.
func TestRun(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	var text strings.Builder
	if err := run(&text, device, 2*Queries); err != nil {
		t.Fatal(err)
	}
	errors := regexp.MustCompile(`error (\S+)`).FindAllStringSubmatch(text.String(), -1)
	if len(errors) != 4 {
		t.Fatalf("it says %q", text.String())
	}
	for _, e := range errors {
		if x, err := strconv.ParseFloat(e[1], 64); err != nil || x > 2e-3 {
			t.Errorf("it says %q", text.String())
		}
	}
}

// TestGemm compares the variants with float64, for matrices that tiles do not divide.
func TestGemm(t *testing.T) {
	const m, n, k = 75, 136, 40
	a, b, bias, c := numbers(m*k, 1), numbers(k*n, 2), make([]float32, n), make([]gpu.Float16, m*n)
	for i := range bias {
		bias[i] = float32(i) / n
	}
	left, right, to := gpu.NewMatrix(a, m, k), gpu.NewMatrix(b, k, n), gpu.NewMatrix(c, m, n)
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	runs := map[string]func() error{
		"plain Go": func() error { GoGemm(gpu.D1(2), left, right, bias, to); return nil },
	}
	for _, v := range []GemmVariant{{}, {Columns: 256}} {
		runs[fmt.Sprint(v)] = func() error { return RunGemm(t.Context(), device, gpu.D1(2), left, right, bias, to, v) }
	}
	for name, run := range runs {
		clear(c)
		if err := run(); err != nil {
			t.Fatal(err)
		}
		for i := range m {
			for j := range n {
				x := float64(bias[j])
				for d := range k {
					x += float64(a[i*k+d].Float32()) * float64(b[d*n+j].Float32())
				}
				x /= 1 + math.Exp(-1.5957691*(x+0.044715*x*x*x))
				if got := float64(c[i*n+j].Float32()); math.Abs(got-x) > 2e-3*max(1, math.Abs(x)) {
					t.Fatalf("%s, row %d, column %d: got %v, want %v", name, i, j, got, x)
				}
			}
		}
	}
}
