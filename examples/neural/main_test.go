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

// tolerance is how far answers and gradients may be from float64. They are sums of some dozen
// products, and these of numbers up to 1 or so: what float32 loses there is near 1e-7, and the
// derivatives that tests look at are near 0.1.
const tolerance = 1e-5

// decided returns a network like a trained one: its outputs are not near zero, so all derivatives
// matter.
func decided() []Neuron {
	r := rand.New(rand.NewPCG(5, 6))
	network := random()
	for i := range network {
		network[i].Output = float32(0.5 * r.NormFloat64())
	}
	return network
}

// parameters are the numbers of a neuron, one behind the other, in float64.
func parameters(network []Neuron) (p []float64) {
	for _, n := range network {
		p = append(p, float64(n.Weights.X), float64(n.Weights.Y), float64(n.Bias), float64(n.Output))
	}
	return p
}

// sum64 is what the network says of a point before the sigmoid, by these parameters.
func sum64(p []float64, point Point) (sum float64) {
	for i := 0; i < len(p); i += 4 {
		sum += p[i+3] * math.Tanh(p[i]*float64(point.Position.X)+p[i+1]*float64(point.Position.Y)+p[i+2])
	}
	return sum
}

// loss64 is the mean cross-entropy: log(1 + exp(-sum)) for class 1, and for class 0 the same of the
// opposite sum.
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

// onBoth runs a test with Forward and Gradients of the device, and of plain Go.
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

// TestForward compares with float64, and with a loss that is computed another way.
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

// TestGradients compares with how the loss changes if one number of the network does, in float64.
func TestGradients(t *testing.T) {
	onBoth(t, func(t *testing.T, points []Point, network []Neuron, _ []float32, gradients []Neuron) {
		const change = 1e-4 // what this neglects is the square of it
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

// TestUpdate: every device does what two steps by hand do. The numbers are such that nothing is
// rounded.
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
	// half of the velocity less a quarter of the gradient: first 0.25, 1, -1, -3, then -0.125, 1,
	// -1.5, -3.5
	if want := []Neuron{{gpu.V2f(-0.125, 1), -1.5, -3.5}, {Bias: 0.25}}; !slices.Equal(velocities, want) {
		t.Errorf("the velocities are %v, not %v", velocities, want)
	}
	if want := []Neuron{{gpu.V2f(0.125, 3), -0.5, -3.5}, {Bias: 0.75, Output: 5}}; !slices.Equal(network, want) {
		t.Errorf("the network is %v, not %v", network, want)
	}
}

// TestOnDevices: every device computes what plain Go does. How far it may be off is said relative
// to the number, so these numbers do not come from differences that are nearly zero: no neuron is
// at the end of its range, and all points are of one class.
func TestOnDevices(t *testing.T) {
	network := []Neuron{{gpu.V2f(1, -0.5), 0.25, 0.5}, {gpu.V2f(-1, 1), -0.25, -0.75}, {gpu.V2f(0.5, 0.5), 0.5, 0.25}}
	points := make([]Point, 2*Block+7)
	for i := range points {
		points[i].Position = gpu.V2f(0.5+float32(i)/1024, -0.25)
	}
	answers, gradients := make([]float32, len(points)), make([]Neuron, len(network))
	perPoint, perNeuron := cover(len(points)), gpu.D1(uint32(len(network)))
	// a tanh of sums of tanh, which devices compute each in their own way; the gradients have the
	// squares of it
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

// TestTrain: some steps lead the device and plain Go to the same network, and the device to the
// very same each time.
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

// TestLearn: a network that knew nothing knows the spirals, and points of them that it has not
// seen.
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

// TestLoss: what loss and right come to, by hand.
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

// TestDraw: a small picture, by hand. A point on the edge between two characters is in the right or
// lower one, and those outside are left out.
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
	// A place that is asked about is where it is drawn.
	for i, place := range places(3, 5) {
		want := []rune("     \n     \n     \n")
		want[i/5*6+i%5] = 'o'
		if is := draw(5, make([]float32, 15), []Point{place}); is != string(want) {
			t.Errorf("place %d is drawn as\n%s", i, is)
		}
	}
}
