package referencetest

import (
	"github.com/gpuc/gpuc/kernels/image"
	"github.com/gpuc/gpuc/kernels/signal"
)

func arraySignals() map[string]operator {
	return map[string]operator{
		"convolve":     {"float32": convolutions[float32], "float64": convolutions[float64]},
		"convolve2d":   {"float32": convolutions[float32], "float64": convolutions[float64]},
		"fir":          {"float32": fir[float32], "float64": fir[float64]},
		"fir_channels": {"float32": fir[float32], "float64": fir[float64]},
		"sosfilt":      {"float32": sections[float32], "float64": sections[float64]},
		"stft":         {"float32": frames[float32, complex64], "float64": frames[float64, complex128]},
		"rfft":         {"float32": spectra[float32, complex64], "float64": spectra[float64, complex128]},
		"irfft":        {"float32": samplesOf[float32, complex64], "float64": samplesOf[float64, complex128]},
		"istft":        {"float32": signalOf[float32, complex64], "float64": signalOf[float64, complex128]},
		"dct":          {"float32": cosines[float32], "float64": cosines[float64]},
		"dct_ortho":    {"float32": orthogonalCosines[float32], "float64": orthogonalCosines[float64]},
	}
}

// convolutions has convolutions of all modes, and then correlations, by spectra.
func convolutions[T signal.Float](e *env, n *node) []any {
	x, h := upload(e, elements[T](n.Inputs[0])), upload(e, elements[T](n.Inputs[1]))
	list := make([]any, 6)
	for mode := signal.Full; mode <= signal.Valid; mode++ {
		p, err := signal.PlanConvolution[T](e.s, n.Inputs[0].Shape, n.Inputs[1].Shape, 1, mode, signal.By(signal.ByFFT))
		e.check(err)
		y, z := zeros[T](e, count(p.Shape())), zeros[T](e, count(p.Shape()))
		e.check(p.Convolve(x, h, y))
		e.check(p.Correlate(x, h, z))
		list[mode], list[3+mode] = read(e, y), read(e, z)
		e.check(p.Close())
	}
	return list
}

func fir[T signal.Float](e *env, n *node) []any {
	y, channels := zeros[T](e, count(n.Outputs[0].Shape)), 1
	if shape := n.Inputs[1].Shape; len(shape) == 2 {
		channels = shape[0]
	}
	e.check(signal.FIR(e.s, upload(e, elements[T](n.Inputs[0])), upload(e, elements[T](n.Inputs[1])), y, channels, int(n.number("step", 1))))
	return []any{read(e, y)}
}

func sections[T signal.Float](e *env, n *node) []any {
	sos, x := n.Inputs[0], n.Inputs[1]
	y := zeros[T](e, count(x.Shape))
	state := zeros[T](e, 2*sos.Shape[0]*x.Shape[0])
	e.check(signal.Sections(e.s, upload(e, elements[T](sos)), state, upload(e, elements[T](x)), y, x.Shape[0]))
	return []any{read(e, y)}
}

func frames[T signal.Float, C signal.Complex](e *env, n *node) []any {
	x := upload(e, elements[T](n.Inputs[0]))
	p, err := signal.PlanSTFT[T, C](e.s, x.Len(), 1, signal.Periodic(signal.Hann, int(n.number("n", 0))), int(n.number("hop", 0)))
	e.check(err)
	defer p.Close()
	y := zeros[C](e, p.Frames()*p.Bins())
	e.check(p.Forward(x, y))
	return []any{read(e, y)}
}

// spectra has the transform of real samples, and of the same as complex numbers.
func spectra[T signal.Float, C signal.Complex](e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	half, err := signal.PlanRealFFT[T, C](e.s, shape, 1)
	e.check(err)
	defer half.Close()
	y := zeros[C](e, count(n.Outputs[0].Shape)/2)
	x := elements[T](n.Inputs[0])
	e.check(half.Forward(upload(e, x), y))
	whole, err := signal.PlanFFT[C](e.s, shape, 1)
	e.check(err)
	defer whole.Close()
	z := upload(e, mapped(x, func(v T) C { return C(complex(float64(v), 0)) }))
	e.check(whole.Forward(z, z))
	return []any{read(e, y), read(e, z)}
}

// complexes returns the elements of a tensor of real and imaginary parts.
func complexes[T signal.Float, C signal.Complex](x *tensor) []C {
	parts := elements[T](x)
	z := make([]C, len(parts)/2)
	for i := range z {
		z[i] = C(complex(float64(parts[2*i]), float64(parts[2*i+1])))
	}
	return z
}

// samplesOf transforms half a spectrum to samples, and a spectrum to complex samples with
// orthogonal scales.
func samplesOf[T signal.Float, C signal.Complex](e *env, n *node) []any {
	shape := n.list("shape", nil)
	half, err := signal.PlanRealFFT[T, C](e.s, shape, 1)
	e.check(err)
	defer half.Close()
	x := zeros[T](e, count(shape))
	e.check(half.Inverse(upload(e, complexes[T, C](n.Inputs[0])), x))
	whole, err := signal.PlanFFT[C](e.s, shape, 1, signal.Normalize(signal.Ortho))
	e.check(err)
	defer whole.Close()
	z := zeros[C](e, count(shape))
	e.check(whole.Inverse(upload(e, complexes[T, C](n.Inputs[1])), z))
	return []any{read(e, x), read(e, z)}
}

func signalOf[T signal.Float, C signal.Complex](e *env, n *node) []any {
	x := zeros[T](e, count(n.Outputs[0].Shape))
	p, err := signal.PlanSTFT[T, C](e.s, x.Len(), 1, signal.Periodic(signal.Hamming, int(n.number("n", 0))), int(n.number("hop", 0)))
	e.check(err)
	defer p.Close()
	e.check(p.Inverse(upload(e, complexes[T, C](n.Inputs[0])), x))
	return []any{read(e, x)}
}

// orthogonalCosines has the transform of each kind, and its inverse.
func orthogonalCosines[T signal.Float](e *env, n *node) (list []any) {
	shape := n.Inputs[0].Shape
	x := upload(e, elements[T](n.Inputs[0]))
	for _, kind := range []int{2, 3, 3, 2, 4, 4} {
		p, err := signal.PlanDCT[T](e.s, kind, shape[1], shape[0], signal.Normalize(signal.Ortho))
		e.check(err)
		y := zeros[T](e, x.Len())
		e.check(p.Transform(x, y))
		list = append(list, read(e, y))
		e.check(p.Close())
	}
	return list
}

func cosines[T signal.Float](e *env, n *node) (list []any) {
	shape := n.Inputs[0].Shape
	x := upload(e, elements[T](n.Inputs[0]))
	for kind := 2; kind <= 4; kind++ {
		p, err := signal.PlanDCT[T](e.s, kind, shape[1], shape[0])
		e.check(err)
		y := zeros[T](e, x.Len())
		e.check(p.Transform(x, y))
		list = append(list, read(e, y))
		e.check(p.Close())
	}
	return list
}

func arrayImages() map[string]operator {
	return map[string]operator{
		"correlate":  {"float32": correlate},
		"remap":      {"float32": remap},
		"morphology": {"uint8": morphology},
		"affine":     {"float32": affine},
		"gradients":  {"float32": gradients},
		"percentile": {"uint8": percentiles},
		"counts":     {"uint8": counts},
	}
}

// border returns the border that a case names, whose value is the given one.
func border(n *node, value float32) image.Border {
	return map[string]image.Border{"clamp": image.Clamp, "mirror": image.Mirror, "reflect": image.Reflect, "wrap": image.Wrap, "constant": image.Constant(value)}[n.text("border", "")]
}

// picture uploads samples of one channel.
func picture[T image.Sample](e *env, width, height int, samples []T) image.Image[T] {
	m, err := image.Upload(e.Context(), e.s, width, height, 1, samples)
	e.check(err)
	e.Cleanup(func() { m.Close() })
	return m
}

func samples[T image.Sample](e *env, m image.Image[T]) []T {
	x := make([]T, m.Width*m.Height*m.Channels)
	e.check(m.Read(e.Context(), e.s, x))
	return x
}

// blank is an image of zeros.
func blank[T image.Sample](e *env, width, height int) image.Image[T] {
	return picture(e, width, height, make([]T, width*height))
}

func correlate(e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	src, dst := picture(e, shape[1], shape[0], elements[float32](n.Inputs[0])), blank[float32](e, shape[1], shape[0])
	e.check(image.Filter2D(e.s, dst, src, elements[float32](n.Inputs[1]), n.Inputs[1].Shape[1], border(n, 0.25)))
	return []any{samples(e, dst)}
}

// remap takes the nearest pixels, and interpolates.
func remap(e *env, n *node) (list []any) {
	shape, size := n.Inputs[0].Shape, n.Inputs[1].Shape
	src := picture(e, shape[1], shape[0], elements[float32](n.Inputs[0]))
	at, err := image.Upload(e.Context(), e.s, size[1], size[0], 2, elements[float32](n.Inputs[1]))
	e.check(err)
	defer at.Close()
	for _, how := range []image.Interpolation{image.Nearest, image.Bilinear} {
		dst := blank[float32](e, size[1], size[0])
		e.check(image.Remap(e.s, dst, src, at, how, border(n, 0.25)))
		list = append(list, samples(e, dst))
	}
	return list
}

// morphology erodes, dilates, and takes medians.
func morphology(e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	src, b := picture(e, shape[1], shape[0], elements[uint8](n.Inputs[0])), border(n, 40)
	least, most, middle := blank[uint8](e, shape[1], shape[0]), blank[uint8](e, shape[1], shape[0]), blank[uint8](e, shape[1], shape[0])
	e.check(image.Erode(e.s, least, src, image.Rectangle(5, 3), b))
	e.check(image.Dilate(e.s, most, src, image.Rectangle(5, 3), b))
	e.check(image.Median(e.s, middle, src, 1, b))
	return []any{samples(e, least), samples(e, most), samples(e, middle)}
}

// affine warps by the map of the result's pixels to those of the source.
func affine(e *env, n *node) []any {
	shape, size, m := n.Inputs[0].Shape, n.Outputs[0].Shape, elements[float64](n.Inputs[1])
	src, dst := picture(e, shape[1], shape[0], elements[float32](n.Inputs[0])), blank[float32](e, size[1], size[0])
	p, exists := image.Affine(m[0], m[1], m[2], m[3], m[4], m[5]).Inverse()
	if !exists {
		e.Fatal("the map has no inverse")
	}
	e.check(image.Warp(e.s, dst, src, p, image.Bilinear, image.Constant(0.25)))
	return []any{samples(e, dst)}
}

// gradients has filters with the border that SciPy has by default.
func gradients(e *env, n *node) (list []any) {
	shape := n.Inputs[0].Shape
	src := picture(e, shape[1], shape[0], elements[float32](n.Inputs[0]))
	var dst [5]image.Image[float32]
	for i := range dst {
		dst[i] = blank[float32](e, shape[1], shape[0])
	}
	e.check(image.Sobel(e.s, dst[0], dst[1], src, image.Reflect))
	e.check(image.Laplacian(e.s, dst[2], src, image.Reflect))
	e.check(image.GaussianBlur(e.s, dst[3], src, 0.9, image.Reflect))
	e.check(image.BoxBlur(e.s, dst[4], src, 2, 1, image.Reflect))
	for _, d := range dst {
		list = append(list, samples(e, d))
	}
	return list
}

func percentiles(e *env, n *node) (list []any) {
	shape := n.Inputs[0].Shape
	src := picture(e, shape[1], shape[0], elements[uint8](n.Inputs[0]))
	for _, fraction := range []float64{0, 0.25, 0.5, 1} {
		dst := blank[uint8](e, shape[1], shape[0])
		e.check(image.Percentile(e.s, dst, src, 1, fraction, image.Reflect))
		list = append(list, samples(e, dst))
	}
	dst := blank[uint8](e, shape[1], shape[0])
	e.check(image.Median(e.s, dst, src, 2, image.Reflect))
	return append(list, samples(e, dst))
}

func counts(e *env, n *node) []any {
	shape, bins := n.Inputs[0].Shape, zeros[uint32](e, image.Bins)
	e.check(image.Histogram(e.s, bins, picture(e, shape[1], shape[0], elements[uint8](n.Inputs[0]))))
	return []any{read(e, bins)}
}
