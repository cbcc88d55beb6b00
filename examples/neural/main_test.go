package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// tolerance is the largest allowed difference of answers and gradients from those in float64. They
// are sums of some dozen products of about 1, with rounding errors near 1e-7, and the tested
// derivatives are near 0.1.
const tolerance = 1e-5

// decided returns a network with larger outputs, like a trained one, so that no derivative is
// nearly zero.
func decided() []Neuron {
	r := rand.New(rand.NewPCG(5, 6))
	network := random()
	for i := range network {
		network[i].Output = float32(0.5 * r.NormFloat64())
	}
	return network
}

// parameters returns the parameters of all neurons in float64, four for each.
func parameters(network []Neuron) (p []float64) {
	for _, n := range network {
		p = append(p, float64(n.Weights.X), float64(n.Weights.Y), float64(n.Bias), float64(n.Output))
	}
	return p
}

// sum64 returns the output of the network for a point before the sigmoid, by these parameters.
func sum64(p []float64, point Point) (sum float64) {
	for i := 0; i < len(p); i += 4 {
		sum += p[i+3] * math.Tanh(p[i]*float64(point.Position.X)+p[i+1]*float64(point.Position.Y)+p[i+2])
	}
	return sum
}

// loss64 returns the mean cross-entropy: log(1 + exp(-sum)) for class 1, and log(1 + exp(sum)) for
// class 0.
func loss64(p []float64, points []Point) (loss float64) {
	for _, point := range points {
		sum := sum64(p, point)
		if point.Class == 0 {
			sum = -sum
		}
		loss += math.Log1p(math.Exp(-sum)) / float64(len(points))
	}
	return loss
}

// onBoth runs a test with the results of Forward and Gradients on the device, and in plain Go.
func onBoth(t *testing.T, test func(t *testing.T, points []Point, network []Neuron, answers []float32, gradients []Neuron)) {
	// a single point; fewer than items; a last block that is not full
	for _, n := range []int{1, Block - 1, 2*Block + 7} {
		points, network := spirals(n), decided()
		perPoint, perNeuron := cover(n), gpu.D1(uint32(len(network)))
		answers, gradients := make([]float32, n), make([]Neuron, len(network))
		t.Run("device", func(t *testing.T) {
			ctx, device := context.Background(), gputest.Open(t, gpu.Named(gpu.CPU))
			if err := RunForward(ctx, device, perPoint, points, network, answers); err != nil {
				t.Fatal(err)
			}
			if err := RunGradients(ctx, device, perNeuron, points, network, answers, gradients); err != nil {
				t.Fatal(err)
			}
			test(t, points, network, answers, gradients)
		})
		clear(answers)
		clear(gradients)
		t.Run("go", func(t *testing.T) {
			GoForward(perPoint, points, network, answers)
			GoGradients(perNeuron, points, network, answers, gradients)
			test(t, points, network, answers, gradients)
		})
	}
}

// TestForward compares answers and the loss with float64.
func TestForward(t *testing.T) {
	onBoth(t, func(t *testing.T, points []Point, network []Neuron, answers []float32, _ []Neuron) {
		p := parameters(network)
		for i, point := range points {
			if want := 1 / (1 + math.Exp(-sum64(p, point))); math.Abs(float64(answers[i])-want) > tolerance {
				t.Errorf("of point %d it says %v, not %v", i, answers[i], want)
			}
		}
		if is, want := loss(points, answers), loss64(p, points); math.Abs(is-want) > tolerance {
			t.Errorf("the loss is %v, not %v", is, want)
		}
	})
}

// TestGradients compares gradients with numerical derivatives of the loss in float64.
func TestGradients(t *testing.T) {
	onBoth(t, func(t *testing.T, points []Point, network []Neuron, _ []float32, gradients []Neuron) {
		const change = 1e-4 // the error is its square
		p := parameters(network)
		largest := [4]float64{} // of the weights, the bias and the output
		for i, is := range parameters(gradients) {
			was := p[i]
			p[i] = was + change
			more := loss64(p, points)
			p[i] = was - change
			less := loss64(p, points)
			p[i] = was
			want := (more - less) / (2 * change)
			if math.Abs(is-want) > tolerance {
				t.Errorf("number %d of neuron %d has the gradient %v, not %v", i%4, i/4, is, want)
			}
			largest[i%4] = max(largest[i%4], math.Abs(want))
		}
		for number, size := range largest {
			if size < 1000*tolerance {
				t.Errorf("the gradients of numbers %d are at most %v: that tests little", number, size)
			}
		}
	})
}

// TestUpdate compares all devices with two steps that were computed by hand, without rounding.
func TestUpdate(t *testing.T) {
	gradients := []Neuron{{gpu.V2f(1, -2), 4, 8}, {}}
	velocities := []Neuron{{gpu.V2f(1, 1), 0, -2}, {Bias: 1}}
	network := []Neuron{{gpu.V2f(0, 1), 2, 3}, {Output: 5}}
	for range 2 {
		gputest.Compare(t, gputest.Exact,
			func() { GoUpdate(gpu.D1(1), 0.25, 0.5, gradients, velocities, network) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunUpdate(ctx, d, gpu.D1(1), 0.25, 0.5, gradients, velocities, network)
			},
			velocities, network)
	}
	// half of the velocity minus a quarter of the gradient: first 0.25, 1, -1, -3, then -0.125, 1,
	// -1.5, -3.5
	if want := []Neuron{{gpu.V2f(-0.125, 1), -1.5, -3.5}, {Bias: 0.25}}; !slices.Equal(velocities, want) {
		t.Errorf("the velocities are %v, not %v", velocities, want)
	}
	if want := []Neuron{{gpu.V2f(0.125, 3), -0.5, -3.5}, {Bias: 0.75, Output: 5}}; !slices.Equal(network, want) {
		t.Errorf("the network is %v, not %v", network, want)
	}
}

// TestOnDevices compares all devices with plain Go. The tolerance is relative, so the network and
// the points avoid cancellation: no neuron is saturated, and all points are of one class.
func TestOnDevices(t *testing.T) {
	network := []Neuron{{gpu.V2f(1, -0.5), 0.25, 0.5}, {gpu.V2f(-1, 1), -0.25, -0.75}, {gpu.V2f(0.5, 0.5), 0.5, 0.25}}
	points := make([]Point, 2*Block+7)
	for i := range points {
		points[i].Position = gpu.V2f(0.5+float32(i)/1024, -0.25)
	}
	answers, gradients := make([]float32, len(points)), make([]Neuron, len(network))
	perPoint, perNeuron := cover(len(points)), gpu.D1(uint32(len(network)))
	// devices have different approximations of tanh; an answer has two nested ones, and gradients
	// their squares
	gputest.Compare(t, gputest.ULP(256),
		func() { GoForward(perPoint, points, network, answers) },
		func(ctx context.Context, d *gpu.Device) error {
			return RunForward(ctx, d, perPoint, points, network, answers)
		},
		answers)
	gputest.Compare(t, gputest.ULP(256),
		func() { GoGradients(perNeuron, points, network, answers, gradients) },
		func(ctx context.Context, d *gpu.Device) error {
			return RunGradients(ctx, d, perNeuron, points, network, answers, gradients)
		},
		gradients)
}

// TestTrain compares some steps on the device with plain Go, and checks that the device is
// deterministic.
func TestTrain(t *testing.T) {
	device, points := gputest.Open(t, gpu.Named(gpu.CPU)), spirals(2*Block+7)
	network, answers, _, err := train(t.Context(), device, points, random(), 5)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _, err := train(t.Context(), device, points, random(), 5)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(network, again) {
		t.Error("the same steps lead to another network")
	}
	plainNetwork, plainAnswers := plain(points, random(), 5)
	want := parameters(plainNetwork)
	for i, is := range parameters(network) {
		if math.Abs(is-want[i]) > tolerance {
			t.Errorf("number %d of neuron %d is %v, and %v in plain Go", i%4, i/4, is, want[i])
		}
	}
	for i := range answers {
		if math.Abs(float64(answers[i]-plainAnswers[i])) > tolerance {
			t.Errorf("of point %d it says %v, and %v in plain Go", i, answers[i], plainAnswers[i])
		}
	}
}

// TestLearn checks that a trained network classifies the points of the spirals, and other points of
// them.
func TestLearn(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	var text strings.Builder
	points := spirals(256)
	network, err := learn(&text, device, points, random(), 300)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "trained with 256 points by 300 steps") {
		t.Errorf("it says %q", text.String())
	}
	p := parameters(network)
	was, is := loss64(parameters(random()), points), loss64(p, points)
	if is > was/4 {
		t.Errorf("the loss was %v and is %v", was, is)
	}
	for name, points := range map[string][]Point{"learnt": points, "others": spirals(333)} {
		n := 0
		for _, point := range points {
			if (sum64(p, point) > 0) == (point.Class == 1) {
				n++
			}
		}
		if share := float64(n) / float64(len(points)); share < 0.95 {
			t.Errorf("%s: the share of points that are right is %v", name, share)
		}
	}
}

// TestLoss compares loss and right with values that were computed by hand.
func TestLoss(t *testing.T) {
	points := []Point{{Class: 1}, {Class: 0}, {Class: 1}, {Class: 0}}
	for _, test := range []struct {
		answers     []float32
		loss, right float64
	}{
		{[]float32{1, 0, 1, 0}, 0, 1},
		{[]float32{0.75, 0.25, 0.25, 0.25}, math.Log(256.0/27) / 4, 0.75},
		{[]float32{0, 1, 1, 0}, 7 * math.Ln10 / 2, 0.5},
	} {
		if is := loss(points, test.answers); math.Abs(is-test.loss) > 1e-12 {
			t.Errorf("%v: the loss is %v, not %v", test.answers, is, test.loss)
		}
		if is := right(points, test.answers); is != test.right {
			t.Errorf("%v: %v of the points are right, not %v", test.answers, is, test.right)
		}
	}
}

// TestDraw draws a small picture. A point on the edge between two characters is in the right or
// lower one, and points outside are omitted.
func TestDraw(t *testing.T) {
	answers := []float32{
		0, 0.19, 0.21, 0.5,
		0.79, 0.81, 1, 0.41,
	}
	points := []Point{
		{gpu.V2f(-0.9, -0.9), 0}, {gpu.V2f(0, 0.5), 1},
		{gpu.V2f(-1.1, 0.5), 0}, {gpu.V2f(1, 0.5), 0}, {gpu.V2f(0, 1.1), 0}, {gpu.V2f(0, -1), 0},
	}
	if is, want := draw(4, answers, points), "  x▒\no██▒\n"; is != want {
		t.Errorf("it draws\n%snot\n%s", is, want)
	}
	if is, want := draw(4, answers, nil), "  ░▒\n▓██▒\n"; is != want {
		t.Errorf("it draws\n%snot\n%s", is, want)
	}
	// A sample is drawn at its character.
	for i, point := range samples(3, 5) {
		want := []rune("     \n     \n     \n")
		want[i/5*6+i%5] = 'o'
		if is := draw(5, make([]float32, 15), []Point{point}); is != string(want) {
			t.Errorf("sample %d is drawn as\n%s", i, is)
		}
	}
}
