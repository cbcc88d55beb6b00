// Neural trains a small neural network on a GPU, or on the processor if there is none:
//
//	go run ./examples/neural
//
// It learns to classify the points of two spirals, and draws its answers for the plane.
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

// The learning rate, and the momentum: the part of a step that is added to the next one.
const (
	rate     = 0.3
	momentum = 0.9
)

// run trains a network on two spirals, and draws its answers.
func run(w io.Writer, device *gpu.Device) error {
	points := spirals(384)
	network, err := learn(w, device, points, random(), 500)
	if err != nil {
		return err
	}
	const rows, columns = 24, 60
	answers := make([]float32, rows*columns)
	if err := RunForward(context.Background(), device, cover(len(answers)), samples(rows, columns), network, answers); err != nil {
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

// random returns an untrained network with random parameters. Neurons with equal parameters would
// stay equal.
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
	// The last neuron is active everywhere, so its output is a bias of the network.
	network[Neurons-1].Weights, network[Neurons-1].Bias = gpu.Vec2f{}, 10
	return network
}

// cover returns the grid for n points.
func cover(n int) gpu.Grid { return gpu.D1(uint32((n + Block - 1) / Block)) }

// learn trains a network by several steps on the device, prints the time and the accuracy, and
// returns it.
func learn(w io.Writer, device *gpu.Device, points []Point, start []Neuron, steps int) ([]Neuron, error) {
	ctx := context.Background()
	// After a few steps the losses of the device and of plain Go must nearly agree. After many they
	// need not: devices round differently, and steps may amplify the difference. This also loads
	// the kernels before the measurement.
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

// train trains a network on the device. It returns the trained network, its answers, and the time
// of the steps.
func train(ctx context.Context, device *gpu.Device, points []Point, start []Neuron, steps int) (
	network []Neuron, answers []float32, took time.Duration, err error) {
	given, err1 := gpu.Upload(ctx, device, points)
	neurons, err2 := gpu.Upload(ctx, device, start)
	gradients, err3 := gpu.Alloc[Neuron](device, len(start))
	velocities, err4 := gpu.Alloc[Neuron](device, len(start)) // zeros
	said, err5 := gpu.Alloc[float32](device, len(points))
	stream, err6 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, nil, 0, err // closing the device frees what was allocated
	}
	defer given.Close()
	defer neurons.Close()
	defer gradients.Close()
	defer velocities.Close()
	defer said.Close()
	defer stream.Close()

	// The launches are queued and run one after the other. The host does not wait between steps,
	// since all data stays on the device.
	begin := time.Now()
	perPoint, perNeuron := cover(len(points)), gpu.D1(uint32(len(start)))
	all := gpu.D1(1) // one workgroup of Update updates all neurons
	for range steps {
		if err := errors.Join(
			LaunchForward(stream, perPoint, given, neurons, said),
			LaunchGradients(stream, perNeuron, given, neurons, said, gradients),
			LaunchUpdate(stream, all, rate, momentum, gradients, velocities, neurons),
		); err != nil {
			return nil, nil, 0, err
		}
	}
	// The answers of the trained network.
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

// loss returns the mean cross-entropy: the negative logarithm of the probability that the network
// gives to the class of a point. A probability has a precision of about 1e-7, which is its lower
// bound here.
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

// right returns the fraction of points for which the more likely class is the correct one.
func right(points []Point, answers []float32) float64 {
	n := 0
	for i, p := range points {
		if (answers[i] > 0.5) == (p.Class == 1) {
			n++
		}
	}
	return float64(n) / float64(len(points))
}

// samples returns the centre of each character of a picture of the plane from -1 to 1, row by row
// from the top.
func samples(rows, columns int) []Point {
	points := make([]Point, rows*columns)
	for i := range points {
		x, y := float32(i%columns)+0.5, float32(i/columns)+0.5
		points[i].Position = gpu.V2(2*x/float32(columns)-1, 1-2*y/float32(rows))
	}
	return points
}

// draw draws the answers for samples, darker for a higher probability of class 1, and over them the
// points: o for class 0 and x for class 1.
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
