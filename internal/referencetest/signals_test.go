package referencetest

import (
	"github.com/gpuc/gpuc/kernels/signal"
)

func signals() map[string]operator {
	return map[string]operator{
		"DFT":            {"float32": fourier},
		"STFT":           {"float32": shortTime},
		"HannWindow":     {"int32": window(signal.Hann)},
		"HammingWindow":  {"int32": window(signal.Hamming)},
		"BlackmanWindow": {"int32": window(signal.Blackman)},
		"Conv":           {"float32": convolve},
	}
}

func window(w signal.Window) func(e *env, n *node) []any {
	return func(e *env, n *node) []any {
		size := integers(n.Inputs[0])[0]
		weights := w(size)
		if n.flag("periodic", true) {
			weights = signal.Periodic(w, size)
		}
		return []any{mapped(weights, func(v float64) float32 { return float32(v) })}
	}
}

// pairs returns the elements of a tensor whose last dimension is a number's real and imaginary
// part, or its real part alone.
func pairs(x *tensor) []complex64 {
	list, parts := elements[float32](x), x.Shape[len(x.Shape)-1]
	z := make([]complex64, len(list)/parts)
	for i := range z {
		if parts == 2 {
			z[i] = complex(list[2*i], list[2*i+1])
		} else {
			z[i] = complex(list[i], 0)
		}
	}
	return z
}

func reals(z []complex64) []float32 { return mapped(z, func(v complex64) float32 { return real(v) }) }

// fourier transforms along an axis. Without the attribute or an input for it, that is the one
// before the last.
func fourier(e *env, n *node) []any {
	axis := n.axis(int(n.number("axis", -2)))
	if a := n.input(2); a != nil {
		axis = n.axis(integers(a)[0])
	}
	shape := n.Inputs[0].Shape
	order, moved, back := last(shape[:len(shape)-1], axis)
	x := permuted(pairs(n.Inputs[0]), shape[:len(shape)-1], order)
	size := n.Outputs[0].Shape[axis]
	if n.flag("onesided", false) && !n.flag("inverse", false) {
		size = shape[axis]
	}
	batch := count(moved[:len(moved)-1])
	moved[len(moved)-1] = n.Outputs[0].Shape[axis]
	y := zeros[complex64](e, count(moved))
	if !n.flag("onesided", false) {
		p, err := signal.PlanFFT[complex64](e.s, []int{size}, batch)
		e.check(err)
		defer p.Close()
		if n.flag("inverse", false) {
			e.check(p.Inverse(upload(e, x), y))
		} else {
			e.check(p.Forward(upload(e, x), y))
		}
		return []any{permuted(read(e, y), moved, back)}
	}
	p, err := signal.PlanRealFFT[float32, complex64](e.s, []int{size}, batch)
	e.check(err)
	defer p.Close()
	if n.flag("inverse", false) {
		samples := zeros[float32](e, count(moved))
		e.check(p.Inverse(upload(e, x), samples))
		return []any{permuted(read(e, samples), moved, back)}
	}
	e.check(p.Forward(upload(e, reals(x)), y))
	return []any{permuted(read(e, y), moved, back)}
}

func shortTime(e *env, n *node) []any {
	var weights []float64
	if w := n.input(2); w != nil {
		weights = numbers(w)
	} else {
		weights = signal.Rectangular(integers(n.Inputs[3])[0])
	}
	shape := n.Inputs[0].Shape
	p, err := signal.PlanSTFT[float32, complex64](e.s, shape[1], shape[0], weights, integers(n.Inputs[1])[0])
	e.check(err)
	defer p.Close()
	y := zeros[complex64](e, shape[0]*p.Frames()*p.Bins())
	e.check(p.Forward(upload(e, elements[float32](n.Inputs[0])), y))
	return []any{read(e, y)}
}

// convolve takes the elements of a full correlation that the node keeps.
func convolve(e *env, n *node) []any {
	shape, kernel, result := n.Inputs[0].Shape[2:], n.Inputs[1].Shape[2:], n.Outputs[0].Shape[2:]
	p, err := signal.PlanConvolution[float32](e.s, shape, kernel, 1, signal.Full)
	e.check(err)
	defer p.Close()
	y := zeros[float32](e, count(p.Shape()))
	e.check(p.Correlate(upload(e, elements[float32](n.Inputs[0])), upload(e, elements[float32](n.Inputs[1])), y))
	full, strides, pads := read(e, y), n.list("strides", []int{1, 1}), n.list("pads", []int{0, 0, 0, 0})
	if n.text("auto_pad", "") == "SAME_LOWER" {
		for k := range shape { // what is missing at both ends, and the odd one before
			pads[k] = ((result[k]-1)*strides[k] + kernel[k] - shape[k] + 1) / 2
		}
	}
	var list []float32
	for i := range result[0] {
		for j := range result[1] {
			list = append(list, full[(i*strides[0]-pads[0]+kernel[0]-1)*p.Shape()[1]+j*strides[1]-pads[1]+kernel[1]-1])
		}
	}
	return []any{list}
}
