// Neural trains a small neural network on a GPU, or on the processor if there is none:
//
//	go run ./examples/neural
//
// It learns to tell two spirals apart, and draws what it takes the plane for.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device); err != nil {
		log.Fatal(err)
	}
}

// How long steps are, and how much of the last one is in the next.
const (
	rate     = 0.3
	momentum = 0.9
)

// run trains a network on two spirals, and draws what came out.
func run(w io.Writer, device *gpu.Device) error {
	points := spirals(384)
	network, err := learn(w, device, points, random(), 500)
	if err != nil {
		return err
	}
	const rows, columns = 24, 60
	answers := make([]float32, rows*columns)
	if err := RunForward(context.Background(), device, cover(len(answers)), places(rows, columns), network, answers); err != nil {
		return err
	}
	_, err = fmt.Fprint(w, draw(columns, answers, points))
	return err
}

// spirals returns n points of two spirals around the origin, one for each class, with some noise.
func spirals(n int) []Point {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([]Point, n)
	for i := range points {
		class := i % 2
		radius := 0.1 + 0.85*float64(i)/float64(n)
		sin, cos := math.Sincos(8*radius + math.Pi*float64(class))
		points[i] = Point{
			Position: gpu.V2f(float32(radius*cos+0.02*r.NormFloat64()), float32(radius*sin+0.02*r.NormFloat64())),
			Class:    float32(class),
		}
	}
	return points
}

// random returns a network that knows nothing: its neurons look at the plane in directions of all
// kinds. Neurons that begin alike would stay alike.
func random() []Neuron {
	r := rand.New(rand.NewPCG(3, 4))
	network := make([]Neuron, Neurons)
	for i := range network {
		network[i] = Neuron{
			Weights: gpu.V2f(float32(4*r.NormFloat64()), float32(4*r.NormFloat64())),
			Bias:    float32(2 * r.NormFloat64()),
			Output:  float32(0.2 * r.NormFloat64()),
		}
	}
	// The last one is active everywhere, so what it adds to the sum is a bias of the network.
	network[Neurons-1].Weights, network[Neurons-1].Bias = gpu.Vec2f{}, 10
	return network
}

// cover returns as many workgroups as n points take.
func cover(n int) gpu.Grid { return gpu.D1(uint32((n + Block - 1) / Block)) }

// learn trains a network by so many steps on the device, prints how long that took and what it
// knows, and returns it.
func learn(w io.Writer, device *gpu.Device, points []Point, start []Neuron, steps int) ([]Neuron, error) {
	ctx := context.Background()
	// A few steps show whether the losses of the device and of plain Go agree, to a part in ten
	// thousand. After many they need not: devices round otherwise, and steps may make that larger.
	// Kernels are loaded here, before time is taken.
	const few, tolerance = 5, 1e-4
	_, answers, _, err := train(ctx, device, points, start, few)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	_, plainAnswers := plain(points, start, few)
	asGo := time.Since(begin) / few
	if is, want := loss(points, answers), loss(points, plainAnswers); !(math.Abs(is-want) <= tolerance*want) {
		return nil, fmt.Errorf("after %d steps the loss is %v on the device and %v in plain Go", few, is, want)
	}

	_, before, _, err := train(ctx, device, points, start, 0)
	if err != nil {
		return nil, err
	}
	network, after, onDevice, err := train(ctx, device, points, start, steps)
	if err != nil {
		return nil, err
	}
	info := device.Info()
	_, err = fmt.Fprintf(w, "%s (%s) trained with %d points by %d steps in %v, %v each, plain Go takes %v for one\n"+
		"the loss was %.4f and is %.4f, of the points %.1f%% were right and %.1f%% are\n",
		info.Name, info.ID(), len(points), steps, onDevice, onDevice/time.Duration(max(1, steps)), asGo,
		loss(points, before), loss(points, after), 100*right(points, before), 100*right(points, after))
	return network, err
}

// train trains a network on the device. It returns what became of it, its answers, and how long the
// steps took.
func train(ctx context.Context, device *gpu.Device, points []Point, start []Neuron, steps int) (
	network []Neuron, answers []float32, took time.Duration, err error) {
	given, err1 := gpu.Upload(ctx, device, points)
	neurons, err2 := gpu.Upload(ctx, device, start)
	gradients, err3 := gpu.Alloc[Neuron](device, len(start))
	velocities, err4 := gpu.Alloc[Neuron](device, len(start)) // zeros
	said, err5 := gpu.Alloc[float32](device, len(points))
	stream, err6 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, nil, 0, err // what there is ends with the device
	}
	defer given.Close()
	defer neurons.Close()
	defer gradients.Close()
	defer velocities.Close()
	defer said.Close()
	defer stream.Close()

	// The launches are queued, and run one after the other. Nobody waits for a step to end, as the
	// next one finds all that it needs on the device.
	begin := time.Now()
	perPoint, perNeuron := cover(len(points)), gpu.D1(uint32(len(start)))
	all := gpu.D1(1) // a workgroup of Update has all neurons
	for range steps {
		if err := errors.Join(
			LaunchForward(stream, perPoint, given, neurons, said),
			LaunchGradients(stream, perNeuron, given, neurons, said, gradients),
			LaunchUpdate(stream, all, rate, momentum, gradients, velocities, neurons),
		); err != nil {
			return nil, nil, 0, err
		}
	}
	// These are the answers of the network as it is now.
	if err := errors.Join(LaunchForward(stream, perPoint, given, neurons, said), stream.Wait(ctx)); err != nil {
		return nil, nil, 0, err
	}
	took = time.Since(begin)
	network, answers = make([]Neuron, len(start)), make([]float32, len(points))
	err = errors.Join(neurons.Read(ctx, stream, network), said.Read(ctx, stream, answers))
	return network, answers, took, err
}

// plain is train with the kernels as plain Go.
func plain(points []Point, start []Neuron, steps int) (network []Neuron, answers []float32) {
	network, answers = append(network, start...), make([]float32, len(points))
	gradients, velocities := make([]Neuron, len(start)), make([]Neuron, len(start))
	perPoint, perNeuron := cover(len(points)), gpu.D1(uint32(len(start)))
	for range steps {
		GoForward(perPoint, points, network, answers)
		GoGradients(perNeuron, points, network, answers, gradients)
		GoUpdate(gpu.D1(1), rate, momentum, gradients, velocities, network)
	}
	GoForward(perPoint, points, network, answers)
	return network, answers
}

// loss is the mean cross-entropy: the logarithm of how unlikely the network thought the classes
// that points have. A float32 near 1 is exact to some 1e-7, so what is less likely than that counts
// as that likely.
func loss(points []Point, answers []float32) (sum float64) {
	for i, p := range points {
		likely := float64(answers[i])
		if p.Class == 0 {
			likely = 1 - likely
		}
		sum -= math.Log(max(likely, 1e-7))
	}
	return sum / float64(len(points))
}

// right is the share of points whose class is the one that the network thought more likely.
func right(points []Point, answers []float32) float64 {
	n := 0
	for i, p := range points {
		if (answers[i] > 0.5) == (p.Class == 1) {
			n++
		}
	}
	return float64(n) / float64(len(points))
}

// places returns the middle of each character of a picture of the plane from -1 to 1, row by row
// from above.
func places(rows, columns int) []Point {
	places := make([]Point, rows*columns)
	for i := range places {
		x, y := float32(i%columns)+0.5, float32(i/columns)+0.5
		places[i].Position = gpu.V2(2*x/float32(columns)-1, 1-2*y/float32(rows))
	}
	return places
}

// draw draws the answers for such places, the darker the more likely class 1 is, and the points
// over them: o for class 0 and x for class 1.
func draw(columns int, answers []float32, points []Point) string {
	shades := []rune(" ░▒▓█")
	rows := len(answers) / columns
	picture := make([]rune, len(answers))
	for i, answer := range answers {
		picture[i] = shades[min(int(answer*float32(len(shades))), len(shades)-1)]
	}
	for _, p := range points {
		column := int(gpu.Floor(float32(columns) * (p.Position.X + 1) / 2))
		row := int(gpu.Floor(float32(rows) * (1 - p.Position.Y) / 2))
		if column >= 0 && column < columns && row >= 0 && row < rows {
			picture[row*columns+column] = []rune("ox")[int(p.Class)]
		}
	}
	var text strings.Builder
	for row := range rows {
		text.WriteString(string(picture[row*columns:(row+1)*columns]) + "\n")
	}
	return text.String()
}
