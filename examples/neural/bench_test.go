package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkStep compares a step of training on the CPU device, as plain Go, and as a loop.
func BenchmarkStep(b *testing.B) {
	points, network := spirals(384), random()
	answers, gradients, velocities := make([]float32, len(points)), make([]Neuron, len(network)), make([]Neuron, len(network))
	perPoint, perNeuron, all := cover(len(points)), gpu.D1(uint32(len(network))), gpu.D1(1)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		given, err1 := gpu.Upload(b.Context(), device, points)
		neurons, err2 := gpu.Upload(b.Context(), device, network)
		slopes, err3 := gpu.Alloc[Neuron](device, len(network))
		speeds, err4 := gpu.Alloc[Neuron](device, len(network))
		said, err5 := gpu.Alloc[float32](device, len(points))
		if err := errors.Join(err, err1, err2, err3, err4, err5); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(
				LaunchForward(stream, perPoint, given, neurons, said),
				LaunchGradients(stream, perNeuron, given, neurons, said, slopes),
				LaunchUpdate(stream, all, rate, momentum, slopes, speeds, neurons),
				stream.Wait(b.Context()),
			); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoForward(perPoint, points, network, answers)
			GoGradients(perNeuron, points, network, answers, gradients)
			GoUpdate(all, rate, momentum, gradients, velocities, network)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loop(points, network, velocities)
		}
	})
}

// loop is a step without kernels. It computes the activities of a point once, and adds to the
// gradients of all neurons.
func loop(points []Point, network, velocities []Neuron) {
	gradients, activities := make([]Neuron, len(network)), make([]float32, len(network))
	for _, p := range points {
		sum := float32(0)
		for n, neuron := range network {
			activities[n] = neuron.activity(p.Position)
			sum += neuron.Output * activities[n]
		}
		off := 0.5 + 0.5*gpu.Tanh(0.5*sum) - p.Class
		for n, neuron := range network {
			inside := off * neuron.Output * (1 - activities[n]*activities[n])
			gradients[n] = gradients[n].plus(Neuron{p.Position.Scale(inside), inside, off * activities[n]})
		}
	}
	for n := range network {
		velocities[n] = velocities[n].times(momentum).plus(gradients[n].times(-rate / float32(len(points))))
		network[n] = network[n].plus(velocities[n])
	}
}

func TestLoop(t *testing.T) {
	points, network := spirals(384), random()
	velocities := make([]Neuron, len(network))
	want, _ := plain(points, network, 3)
	for range 3 {
		loop(points, network, velocities)
	}
	for n, is := range network {
		if apart := is.plus(want[n].times(-1)); !(gpu.Length(apart.Weights) < 1e-4 && gpu.Abs(apart.Bias) < 1e-4 && gpu.Abs(apart.Output) < 1e-4) {
			t.Errorf("neuron %d is %v, and %v by the kernels", n, is, want[n])
		}
	}
}
