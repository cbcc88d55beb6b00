// Parallel uses all GPUs of the machine together, or the processor several times if there is none:
//
//	go run ./examples/parallel
//	go run ./examples/parallel -devices 4
//
// It trains the network of examples/neural, each device with its part of the points, and multiplies
// two matrices, each device some rows. The results have the same bits on any number of devices.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/gpuc/gpuc/runtime/collective"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	devices := flag.Int("devices", 0, "how many devices, or 0 for all GPUs; 1, 2 or 4")
	flag.Parse()
	group, err := gpu.OpenAll(gpu.AllowCPU(), gpu.Count(*devices))
	if err != nil {
		log.Fatal(err)
	}
	defer group.Close()
	if err := run(context.Background(), os.Stdout, group); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, group *gpu.Group) error {
	t, err := newTeam(ctx, group)
	if err != nil {
		return err
	}
	defer t.close()
	for _, c := range t.ranks {
		fmt.Fprintln(w, c.Explain())
	}
	losses, err := t.train(ctx, spirals(Shards*96), random(), 500, 100)
	if err != nil {
		return err
	}
	for n, l := range losses {
		fmt.Fprintf(w, "the loss after %3d steps is %.6f\n", n*100, l)
	}
	return t.product(ctx, w, 256)
}

// team is the devices, each with a stream and a communicator.
type team struct {
	group   *gpu.Group
	streams []*gpu.Stream
	ranks   []*collective.Communicator
}

func newTeam(ctx context.Context, group *gpu.Group, options ...collective.Option) (*team, error) {
	if n := group.Len(); Shards%n != 0 {
		return nil, fmt.Errorf("%d devices cannot share %d shards evenly; choose some with -devices", n, Shards)
	}
	streams, err := group.NewStreams()
	if err != nil {
		return nil, err
	}
	ranks, err := collective.Open(ctx, group, options...)
	return &team{group, streams, ranks}, err
}

func (t *team) close() {
	for n := range t.ranks {
		_ = t.ranks[n].Close()
		_ = t.streams[n].Close()
	}
}

// together calls f for each device, and begins their collective operations at once.
func (t *team) together(f func(n int) error) error {
	return collective.Group(func() error { return t.each(f) }, t.ranks...)
}

func (t *team) each(f func(n int) error) error {
	for n := range t.ranks {
		if err := f(n); err != nil {
			return err
		}
	}
	return nil
}

// worker is what a device has of the training. Its network is a copy: all devices make the same
// steps.
type worker struct {
	points              *gpu.Buffer[Point]
	answers             *gpu.Buffer[float32]
	own, all            *gpu.Buffer[Neuron] // gradients of its shards, and of all
	velocities, network *gpu.Buffer[Neuron]
}

const (
	rate     = 0.3
	momentum = 0.9
)

// train trains a network by several steps, and returns the loss before, and each time after some of
// them.
func (t *team) train(ctx context.Context, points []Point, start []Neuron, steps, every int) (losses []float64, err error) {
	parts, err := gpu.Scatter(ctx, t.group, points)
	if err != nil {
		return nil, err
	}
	shards := Shards / t.group.Len() // of a device
	workers := make([]worker, len(parts))
	for n, d := range t.group.Devices() {
		k := &workers[n]
		var failures [5]error
		k.points = parts[n]
		k.answers, failures[0] = gpu.Alloc[float32](d, parts[n].Len())
		k.own, failures[1] = gpu.Alloc[Neuron](d, shards*len(start))
		k.all, failures[2] = gpu.Alloc[Neuron](d, Shards*len(start))
		k.velocities, failures[3] = gpu.Alloc[Neuron](d, len(start)) // zeros
		k.network, failures[4] = gpu.Upload(ctx, d, start)
		if err := errors.Join(failures[:]...); err != nil {
			return nil, err // closing the devices frees what was allocated
		}
	}
	answers := make([]float32, len(points))
	said := make([]*gpu.Buffer[float32], len(parts))
	for n := range workers {
		said[n] = workers[n].answers
	}
	for step := range steps + 1 {
		err := t.each(func(n int) error {
			k := &workers[n]
			return LaunchReplicaForward(t.streams[n], gpu.Items1(k.points.Len()), k.points, k.network, k.answers)
		})
		if err == nil && step%every == 0 {
			if err = gpu.Gather(ctx, t.streams, said, answers); err == nil {
				losses = append(losses, loss(points, answers))
			}
		}
		if err == nil {
			err = t.step(workers, shards, len(points))
		}
		if err != nil {
			return nil, err
		}
	}
	return losses, t.each(func(n int) error { return t.ranks[n].Wait(ctx, t.streams[n]) })
}

// step has each device compute the gradients of its shards, collect those of all, and update its
// network. A reduction would add them in an order of its own; so SumAndUpdate adds them.
func (t *team) step(workers []worker, shards, points int) error {
	err := t.each(func(n int) error {
		k := &workers[n]
		grid := gpu.D2(Neurons, uint32(shards))
		return LaunchShardGradients(t.streams[n], grid, shards, k.points, k.network, k.answers, k.own)
	})
	if err == nil {
		err = t.together(func(n int) error {
			return collective.AllGather(t.ranks[n], t.streams[n], workers[n].all, workers[n].own)
		})
	}
	if err != nil {
		return err
	}
	return t.each(func(n int) error {
		k := &workers[n]
		return LaunchSumAndUpdate(t.streams[n], gpu.D1(1), rate/float32(points), momentum, k.all, k.velocities, k.network)
	})
}

// product multiplies two matrices. All devices have b, and each has some rows of a and of the
// result.
func (t *team) product(ctx context.Context, w io.Writer, size int) error {
	a, b := matrix(size, 1), matrix(size, 2)
	c, err := t.multiply(ctx, size, a, b)
	if err != nil {
		return err
	}
	worst := 0.0
	for i := range c {
		sum := 0.0
		for k := range size {
			sum += float64(a[i/size*size+k]) * float64(b[k*size+i%size])
		}
		worst = max(worst, math.Abs(sum-float64(c[i])))
	}
	_, err = fmt.Fprintf(w, "a product of %d x %d matrices by %d devices differs by %.1e at most\n", size, size, t.group.Len(), worst)
	return err
}

func (t *team) multiply(ctx context.Context, size int, a, b []float32) ([]float32, error) {
	devices := t.group.Devices()
	rows, results, whole := make([]*gpu.Buffer[float32], len(devices)), make([]*gpu.Buffer[float32], len(devices)), make([]*gpu.Buffer[float32], len(devices))
	for n, d := range devices {
		start, end := gpu.Split(size, len(devices), n)
		var err1, err2, err3 error
		rows[n], err1 = gpu.Upload(ctx, d, a[start*size:end*size])
		results[n], err2 = gpu.Alloc[float32](d, (end-start)*size)
		whole[n], err3 = gpu.Alloc[float32](d, size*size)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
	}
	if err := whole[0].Write(t.streams[0], b); err != nil {
		return nil, err
	}
	err := t.together(func(n int) error { return collective.Broadcast(t.ranks[n], t.streams[n], whole[n], 0) })
	if err == nil {
		err = t.each(func(n int) error {
			return LaunchProduct(t.streams[n], gpu.Items1(results[n].Len()), size, rows[n], whole[n], results[n])
		})
	}
	c := make([]float32, size*size)
	if err == nil {
		err = gpu.Gather(ctx, t.streams, results, c)
	}
	return c, err
}

// matrix returns a square matrix of random elements.
func matrix(size int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	m := make([]float32, size*size)
	for i := range m {
		m[i] = r.Float32()*2 - 1
	}
	return m
}

// spirals returns n points of two spirals around the origin, one for each class, with some noise.
// Neighbours in the list are of both classes, so that each shard has both.
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

// random returns an untrained network.
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

// loss returns the mean cross-entropy: the negative logarithm of the probability that the network
// gives to the class of a point, which has a precision of about 1e-7.
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
