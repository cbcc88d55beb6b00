package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Neurons is how many neurons the network has between its input and its output.
const Neurons = 32

// Block is how many items share the sums over all points, for each neuron.
const Block = 64

// Point is a point of the plane and the class that it belongs to, 0 or 1.
type Point struct {
	Position gpu.Vec2f
	Class    float32
}

// Neuron has the numbers that training looks for. The weights and the bias say where a neuron is
// active, and the output says how much that speaks for class 1, or for class 0 if it is negative.
// The gradient of a neuron and its velocity are four numbers, too, and so they are Neurons.
type Neuron struct {
	Weights      gpu.Vec2f
	Bias, Output float32
}

// activity is -1 on one side of a straight line, 1 on the other, and in between near the line.
func (n Neuron) activity(at gpu.Vec2f) float32 { return gpu.Tanh(n.Weights.Dot(at) + n.Bias) }

func (n Neuron) plus(m Neuron) Neuron {
	return Neuron{n.Weights.Add(m.Weights), n.Bias + m.Bias, n.Output + m.Output}
}

func (n Neuron) times(factor float32) Neuron {
	return Neuron{n.Weights.Scale(factor), n.Bias * factor, n.Output * factor}
}

// Forward asks the network about points: one item for each. An answer is how likely it is that the
// point has class 1.
//
//gpuc:kernel workgroup=Block
func Forward(it gpu.Item, points []Point, network []Neuron, answers []float32) {
	i := it.Index()
	if i >= len(points) {
		return
	}
	sum := float32(0)
	for _, neuron := range network {
		sum += neuron.Output * neuron.activity(points[i].Position)
	}
	// This is the sigmoid 1 / (1 + exp(-sum)), written so that nothing in it overflows.
	answers[i] = 0.5 + 0.5*gpu.Tanh(0.5*sum)
}

// Gradients finds out how the loss changes with each number of the network: one workgroup for each
// neuron. The loss is the mean over all points, and so are the gradients. Each item adds up every
// 64th point, and then the items add up what they have in pairs: in the same order each time, so
// the result is the same each time.
//
// A neuron's activity is computed again, as that is less work than to keep those of all neurons for
// all points.
//
//gpuc:kernel workgroup=Block
func Gradients(it gpu.Item, shared *[Block]Neuron, points []Point, network []Neuron, answers []float32, gradients []Neuron) {
	number, local := it.Group().X, it.LocalIndex()
	neuron := network[number]
	var sum Neuron
	for i := local; i < len(points); i += Block {
		// With the sigmoid and this loss, the loss changes with the sum that Forward has by what
		// the answer is off.
		off := answers[i] - points[i].Class
		activity := neuron.activity(points[i].Position)
		// The chain rule leads from there through the output and tanh, whose derivative is 1 -
		// tanh², to the weights.
		inside := off * neuron.Output * (1 - activity*activity)
		sum = sum.plus(Neuron{points[i].Position.Scale(inside), inside, off * activity})
	}
	shared[local] = sum
	for half := Block / 2; half > 0; half /= 2 {
		it.Barrier() // all sums are there
		if local < half {
			shared[local] = shared[local].plus(shared[local+half])
		}
	}
	if local == 0 {
		gradients[number] = shared[0].times(1 / float32(len(points)))
	}
}

// Update moves the network a step down the slope: one item for each neuron. A velocity keeps most
// of what it was, so that steps in the same direction become longer, and those to and fro cancel
// out.
//
//gpuc:kernel workgroup=Neurons
func Update(it gpu.Item, rate, momentum float32, gradients, velocities, network []Neuron) {
	if i := it.Index(); i < len(network) {
		velocities[i] = velocities[i].times(momentum).plus(gradients[i].times(-rate))
		network[i] = network[i].plus(velocities[i])
	}
}
