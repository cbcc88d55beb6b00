package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Neurons is the number of neurons of the hidden layer.
const Neurons = 32

// Block is the number of items that compute the sums over all points for a neuron.
const Block = 64

// Point is a point of the plane and the class that it belongs to, 0 or 1.
type Point struct {
	Position gpu.Vec2f
	Class    float32
}

// Neuron has the trained parameters: the weights and bias of the inputs, and the weight of the
// output, which is positive for class 1 and negative for class 0. The gradient of a neuron and its
// velocity have four components too, so they are also of type Neuron.
type Neuron struct {
	Weights      gpu.Vec2f
	Bias, Output float32
}

// activity is the neuron's activation: -1 on one side of a line, 1 on the other, and between them
// near the line.
func (n Neuron) activity(at gpu.Vec2f) float32 { return gpu.Tanh(n.Weights.Dot(at) + n.Bias) }

func (n Neuron) plus(m Neuron) Neuron {
	return Neuron{n.Weights.Add(m.Weights), n.Bias + m.Bias, n.Output + m.Output}
}

func (n Neuron) times(factor float32) Neuron {
	return Neuron{n.Weights.Scale(factor), n.Bias * factor, n.Output * factor}
}

// Forward evaluates the network for points: one item for each. An answer is the probability of
// class 1.
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
	// This is the sigmoid 1 / (1 + exp(-sum)), in a form that cannot overflow.
	answers[i] = 0.5 + 0.5*gpu.Tanh(0.5*sum)
}

// Gradients computes the derivatives of the loss by the parameters: one workgroup for each neuron.
// The loss is the mean over all points, and so are the gradients. Each item sums every 64th point.
// Then the workgroup sums the items' results in pairs (a tree reduction). The order is always the
// same, and so is the result.
//
// The activities are computed again, which is faster than storing those of all neurons for all
// points.
//
//gpuc:kernel workgroup=Block
func Gradients(it gpu.Item, shared *[Block]Neuron, points []Point, network []Neuron, answers []float32, gradients []Neuron) {
	group, local := it.Group().X, it.LocalIndex()
	neuron := network[group]
	var sum Neuron
	for i := local; i < len(points); i += Block {
		// The derivative of the cross-entropy by the input of the sigmoid is the error of the
		// answer.
		off := answers[i] - points[i].Class
		activity := neuron.activity(points[i].Position)
		// By the chain rule, the derivative by the input of tanh, whose derivative is 1 - tanh².
		inside := off * neuron.Output * (1 - activity*activity)
		sum = sum.plus(Neuron{points[i].Position.Scale(inside), inside, off * activity})
	}
	shared[local] = sum
	for half := Block / 2; half > 0; half /= 2 {
		it.Barrier() // wait until all sums are stored
		if local < half {
			shared[local] = shared[local].plus(shared[local+half])
		}
	}
	if local == 0 {
		gradients[group] = shared[0].times(1 / float32(len(points)))
	}
}

// Update is a step of gradient descent with momentum: one item for each neuron. A velocity keeps
// most of its value, so steps in the same direction become longer, and alternating ones cancel each
// other.
//
//gpuc:kernel workgroup=Neurons
func Update(it gpu.Item, rate, momentum float32, gradients, velocities, network []Neuron) {
	if i := it.Index(); i < len(network) {
		velocities[i] = velocities[i].times(momentum).plus(gradients[i].times(-rate))
		network[i] = network[i].plus(velocities[i])
	}
}
