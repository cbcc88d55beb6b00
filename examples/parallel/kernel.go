package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Neurons is the number of neurons of the hidden layer.
const Neurons = 32

// Shards is how many parts the points have. Each device has some of them. The number does not
// depend on the devices, so that the same sums are made in the same order on any number of them.
const Shards = 4

// Block is the number of items that compute the sums over a shard for a neuron.
const Block = 64

// Point is a point of the plane and the class that it belongs to, 0 or 1.
type Point struct {
	Position gpu.Vec2f
	Class    float32
}

// Neuron has the trained parameters: the weights and bias of the inputs, and the weight of the
// output. Its gradient and its velocity have four components too.
type Neuron struct {
	Weights      gpu.Vec2f
	Bias, Output float32
}

func (n Neuron) activity(at gpu.Vec2f) float32 { return gpu.Tanh(n.Weights.Dot(at) + n.Bias) }

func (n Neuron) plus(m Neuron) Neuron {
	return Neuron{n.Weights.Add(m.Weights), n.Bias + m.Bias, n.Output + m.Output}
}

func (n Neuron) times(factor float32) Neuron {
	return Neuron{n.Weights.Scale(factor), n.Bias * factor, n.Output * factor}
}

// ReplicaForward evaluates the network for points: one item for each. An answer is the probability
// of class 1.
//
//gpuc:kernel workgroup=Block
func ReplicaForward(it gpu.Item, points []Point, network []Neuron, answers []float32) {
	i := it.Index()
	if i >= len(points) {
		return
	}
	sum := float32(0)
	for _, neuron := range network {
		sum += neuron.Output * neuron.activity(points[i].Position)
	}
	// This is the sigmoid 1 / (1 + exp(-sum)), in a form that cannot overflow.
	answers[i] = 0.5 + 0.5*gpu.Tanh(0.5*sum)
}

// ShardGradients computes for each shard of the points the sums of the derivatives of the loss.
// There is one workgroup for each neuron (X) of each shard (Y).
//
//gpuc:kernel workgroup=Block
func ShardGradients(it gpu.Item, shared *[Block]Neuron, shards int, points []Point, network []Neuron, answers []float32, gradients []Neuron) {
	group, local := it.Group(), it.LocalIndex()
	size := len(points) / shards
	neuron := network[group.X]
	var sum Neuron
	for i := local; i < size; i += Block {
		k := group.Y*size + i
		off := answers[k] - points[k].Class
		activity := neuron.activity(points[k].Position)
		inside := off * neuron.Output * (1 - activity*activity)
		sum = sum.plus(Neuron{points[k].Position.Scale(inside), inside, off * activity})
	}
	shared[local] = sum
	for half := Block / 2; half > 0; half /= 2 {
		it.Barrier() // wait until all sums are stored
		if local < half {
			shared[local] = shared[local].plus(shared[local+half])
		}
	}
	if local == 0 {
		gradients[group.Y*len(network)+group.X] = shared[0]
	}
}

// SumAndUpdate is a step of gradient descent with momentum: one item for each neuron. It adds the
// sums of all shards in order.
//
//gpuc:kernel workgroup=Neurons
func SumAndUpdate(it gpu.Item, rate, momentum float32, gradients, velocities, network []Neuron) {
	if i := it.Index(); i < len(network) {
		sum := gradients[i]
		for shard := 1; shard < Shards; shard++ {
			sum = sum.plus(gradients[shard*len(network)+i])
		}
		velocities[i] = velocities[i].times(momentum).plus(sum.times(-rate))
		network[i] = network[i].plus(velocities[i])
	}
}

// Product computes rows of the product of two matrices, of which b has as many columns as rows: one
// item for each element.
//
//gpuc:kernel workgroup=Block
func Product(it gpu.Item, size int, a, b, c []float32) {
	i := it.Index()
	if i >= len(c) {
		return
	}
	row, column := i/size, i%size
	sum := float32(0)
	for k := range size {
		sum += a[row*size+k] * b[k*size+column]
	}
	c[i] = sum
}
