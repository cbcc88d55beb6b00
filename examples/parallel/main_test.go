package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// open opens the CPU device several times.
func open(t *testing.T, n int) *team {
	t.Helper()
	g, err := gpu.OpenAll(gpu.Named(gpu.CPU), gpu.Count(n))
	if err != nil {
		t.Fatal(err)
	}
	m, err := newTeam(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.close()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestTraining: the losses on 1, 2 and 4 devices have the same bits, and become smaller.
func TestTraining(t *testing.T) {
	steps := testmode.Count(20, 60, 200)
	var want []float64
	for _, n := range []int{1, 2, 4} {
		got, err := open(t, n).train(t.Context(), spirals(Shards*48), random(), steps, 10)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if len(got) != steps/10+1 || !slices.Equal(got, want) {
			t.Errorf("on %d devices the losses are %v, on one %v", n, got, want)
		}
	}
	if last := want[len(want)-1]; !(last < 0.9*want[0]) {
		t.Errorf("the losses are %v", want)
	}
}

// TestTrainingOnGPUs: the losses on two GPUs have the bits of those on one.
func TestTrainingOnGPUs(t *testing.T) {
	var want []float64
	for _, n := range []int{1, 2, 4} {
		g, err := gpu.OpenAll(gpu.Named(gpu.CUDA), gpu.Count(n))
		if err != nil {
			if n < 4 {
				t.Skipf("skipped: there are no two GPUs: %v", err)
			}
			return
		}
		defer g.Close()
		m, err := newTeam(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		got, err := m.train(t.Context(), spirals(Shards*480), random(), 200, 20)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		t.Logf("%s: %.17g", m.ranks[0].Explain(), got)
		if !slices.Equal(got, want) {
			t.Errorf("on %d GPUs the losses are %v, on one %v", n, got, want)
		}
	}
}

// TestTrainingAsGo compares a step on two devices with the kernels as plain Go.
func TestTrainingAsGo(t *testing.T) {
	points, network := spirals(Shards*20), random()
	got, err := open(t, 2).train(t.Context(), points, network, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	answers, gradients, velocities := make([]float32, len(points)), make([]Neuron, Shards*Neurons), make([]Neuron, Neurons)
	for step := range 2 {
		GoReplicaForward(gpu.Items1(len(points)), points, network, answers)
		if is, want := got[step], loss(points, answers); !(is-want < 1e-5 && want-is < 1e-5) {
			t.Errorf("after %d steps the loss is %v, and %v in plain Go", step, is, want)
		}
		GoShardGradients(gpu.D2(Neurons, Shards), Shards, points, network, answers, gradients)
		GoSumAndUpdate(gpu.D1(1), rate/float32(len(points)), momentum, gradients, velocities, network)
	}
}

// TestProduct: the product on several devices has the bits of that on one.
func TestProduct(t *testing.T) {
	const size = 37 // whose rows are not the same number for all
	a, b := matrix(size, 3), matrix(size, 4)
	var want []float32
	for _, n := range []int{1, 2, 4} {
		got, err := open(t, n).multiply(t.Context(), size, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("on %d devices the product differs", n)
		}
	}
}

// TestRun: the program says what it has done.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: 500 steps are not for short mode")
	}
	g, err := gpu.OpenAll(gpu.Named(gpu.CPU), gpu.Count(2))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var out bytes.Buffer
	if err := run(t.Context(), &out, g); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rank 1 of 2 on cpu:0: through the host", "the loss after 500 steps is 0.", "a product of 256 x 256 matrices by 2 devices differs by"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
	three, err := gpu.OpenAll(gpu.Named(gpu.CPU), gpu.Count(3))
	if err != nil {
		t.Fatal(err)
	}
	defer three.Close()
	if err := run(t.Context(), &out, three); err == nil || !strings.Contains(err.Error(), "3 devices cannot share 4 shards evenly") {
		t.Errorf("of three devices it says %v", err)
	}
}
