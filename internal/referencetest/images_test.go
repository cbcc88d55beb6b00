package referencetest

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/kernels/image"
)

func images() map[string]operator {
	return map[string]operator{
		"Resize":      {"float32": resize},
		"Upsample":    {"float32": resize},
		"GridSample":  {"float32": gridSample},
		"MaxPool":     {"float32": maxPool[float32], "uint8": maxPool[uint8]},
		"AveragePool": {"float32": averagePool},
	}
}

// change is what Resize does to a dimension: pixel i of n is at distance·i + begin of those of the
// source.
type change struct {
	n, from         int
	distance, begin float64
}

// changes returns those of all dimensions.
func (n *node) changes(e *env) []change {
	shape := n.Inputs[0].Shape
	axes := n.list("axes", []int{0, 1, 2, 3})
	scales, sizes, parts := n.input(2), integers(n.input(3)), n.input(1)
	if n.Operator == "Upsample" {
		scales, parts = n.Inputs[1], nil
	}
	same := 0.0 // the scale of all dimensions, to keep the proportions
	policy := n.text("keep_aspect_ratio_policy", "stretch")
	for k, size := range sizes {
		s := float64(size) / float64(shape[axes[k]])
		if same == 0 || policy == "not_larger" && s < same || policy == "not_smaller" && s > same {
			same = s
		}
	}
	list := make([]change, len(shape))
	for k := range list {
		list[k] = change{shape[k], shape[k], 1, 0}
	}
	for k, axis := range axes {
		c := &list[axis]
		var scale float64
		switch {
		case scales != nil && len(scales.Data) > 0:
			scale = numbers(scales)[k]
			c.n = int(math.Floor(float64(c.from) * scale))
		case policy == "stretch":
			scale = float64(sizes[k]) / float64(c.from)
			c.n = sizes[k]
		default:
			scale = same
			c.n = int(math.Floor(float64(c.from)*scale + 0.5))
		}
		from := float64(c.from)
		n1 := from * scale // the size of the result before it is rounded
		switch mode := n.text("coordinate_transformation_mode", "half_pixel"); mode {
		case "half_pixel", "pytorch_half_pixel":
			c.distance, c.begin = 1/scale, 0.5/scale-0.5
			if n1 == 1 && mode == "pytorch_half_pixel" {
				c.begin = -0.5
			}
		case "half_pixel_symmetric":
			c.distance, c.begin = 1/scale, from/2*(1-float64(c.n)/n1)+0.5/scale-0.5
		case "asymmetric":
			c.distance, c.begin = 1/scale, 0
		case "align_corners":
			c.distance, c.begin = (from-1)/max(n1-1, 1), 0
		case "tf_crop_and_resize":
			roi := numbers(parts)
			low, high := roi[k], roi[k+len(axes)]
			c.distance, c.begin = (high-low)*(from-1)/max(n1-1, 1), low*(from-1)
		default:
			e.Fatalf("no coordinates of %q", mode)
		}
		if c.n == 1 {
			c.distance = 1
		}
	}
	return list
}

// resize takes the window of the source that has the coordinates.
func resize(e *env, n *node) []any {
	all := n.changes(e)
	across, down := all[3], all[2]
	how, nudge := image.Nearest, 0.0
	switch n.text("mode", "nearest") {
	case "linear":
		how = image.Bilinear
	case "cubic":
		how = image.BicubicSharp
		if n.number("cubic_coeff_a", -0.75) == -0.5 {
			how = image.Bicubic
		}
	default:
		// Nearest takes the right one of two pixels that are as near.
		const small = 1e-6
		nudge = map[string]float64{"round_prefer_floor": -small, "round_prefer_ceil": small, "floor": small - 0.5, "ceil": 0.5 - small}[n.text("nearest_mode", "round_prefer_floor")]
	}
	wide := n.flag("antialias", false) || n.flag("exclude_outside", false)
	src := picture(e, across.from, down.from, elements[float32](n.Inputs[0]))
	dst := blank[float32](e, across.n, down.n)
	window := func(c change) (begin, size float64) {
		return c.begin + 0.5 - c.distance/2 + nudge, c.distance * float64(c.n)
	}
	var w image.Window
	w.X, w.Width = window(across)
	w.Y, w.Height = window(down)
	if (w == image.Window{Width: float64(src.Width), Height: float64(src.Height)}) {
		e.check(image.Resize(e.s, dst, src, how, wide))
		return []any{samples(e, dst)}
	}
	p, err := image.PlanResizeWindow(e.Context(), e.s.Device(), dst.Width, dst.Height, src.Width, src.Height, w, how, wide)
	e.check(err)
	defer p.Close()
	e.check(image.ResizeBy(e.s, p, dst, src))
	return []any{samples(e, dst)}
}

// gridSample moves coordinates from −1 to 1 to pixels. Of two pixels that are as near, Remap takes
// the right one, and ONNX the even one: such coordinates move by a little.
func gridSample(e *env, n *node) []any {
	shape, size := n.Inputs[0].Shape, n.Inputs[1].Shape
	src := picture(e, shape[3], shape[2], elements[float32](n.Inputs[0]))
	at := elements[float32](n.Inputs[1])
	for i := range at {
		d := float32(shape[3-i%2])
		if n.flag("align_corners", false) {
			at[i] = (at[i] + 1) / 2 * (d - 1)
		} else {
			at[i] = ((at[i]+1)*d - 1) / 2
		}
		if even := math.RoundToEven(float64(at[i])); float64(at[i])-even == 0.5 && n.text("mode", "") == "nearest" {
			at[i] -= 0.001
		}
	}
	coordinates, err := image.Upload(e.Context(), e.s, size[2], size[1], 2, at)
	e.check(err)
	defer coordinates.Close()
	how := map[string]image.Interpolation{"nearest": image.Nearest, "linear": image.Bilinear, "cubic": image.BicubicSharp}[n.text("mode", "linear")]
	border := image.Constant(0)
	switch n.text("padding_mode", "zeros") {
	case "border":
		border = image.Clamp
	case "reflection":
		border = image.Reflect
		if n.flag("align_corners", false) {
			border = image.Mirror
		}
	}
	dst := blank[float32](e, size[2], size[1])
	e.check(image.Remap(e.s, dst, src, coordinates, how, border))
	return []any{samples(e, dst)}
}

// pooling is the windows of a node: those of pixel i of the result begin at i·stride − pad.
type pooling struct {
	size, window, result    []int // height and width; 1 is the height of one dimension
	stride, pad, end, apart []int // end is the pad behind the last pixel
}

// pooling returns the windows of all dimensions.
func (n *node) pooling() (p pooling) {
	of := func(list []int) []int {
		if len(list) == 1 {
			return []int{1, list[0]}
		}
		return list
	}
	ones := []int{1, 1}
	p.size, p.result = of(n.Inputs[0].Shape[2:]), of(n.Outputs[0].Shape[2:])
	p.window, p.stride, p.apart = of(n.list("kernel_shape", nil)), of(n.list("strides", ones)), of(n.list("dilations", ones))
	pads := n.list("pads", []int{0, 0, 0, 0})
	p.pad, p.end = pads[:2], pads[2:]
	for k := range p.window {
		p.window[k] = (p.window[k]-1)*p.apart[k] + 1
		missing := max((p.result[k]-1)*p.stride[k]+p.window[k]-p.size[k], 0)
		switch n.text("auto_pad", "NOTSET") {
		case "SAME_UPPER":
			p.pad[k], p.end[k] = missing/2, (missing+1)/2
		case "SAME_LOWER":
			p.pad[k], p.end[k] = (missing+1)/2, missing/2
		}
	}
	return p
}

// inside reports whether a pixel of the window counts.
func (p pooling) inside(y, x int) bool { return y%p.apart[0] == 0 && x%p.apart[1] == 0 }

// taken returns the pixels in the middles of windows, which a filter has computed.
func taken[T image.Sample](e *env, p pooling, plane []T) (list []T) {
	for i := range p.result[0] {
		for j := range p.result[1] {
			y, x := i*p.stride[0]-p.pad[0]+p.window[0]/2, j*p.stride[1]-p.pad[1]+p.window[1]/2
			if y < 0 || y >= p.size[0] || x < 0 || x >= p.size[1] {
				e.Fatal("the middle of a window is outside")
			}
			list = append(list, plane[y*p.size[1]+x])
		}
	}
	return list
}

func maxPool[T image.Sample](e *env, n *node) []any {
	p := n.pooling()
	least := float32(0)
	if n.Inputs[0].Type == "float32" {
		least = float32(math.Inf(-1))
	}
	var rows []bool
	for y := range p.window[0] {
		for x := range p.window[1] {
			rows = append(rows, p.inside(y, x))
		}
	}
	var list []T
	for plane := range slices.Chunk(elements[T](n.Inputs[0]), p.size[0]*p.size[1]) {
		dst := blank[T](e, p.size[1], p.size[0])
		e.check(image.Dilate(e.s, dst, picture(e, p.size[1], p.size[0], plane), image.ElementOf(rows, p.window[1]), image.Constant(least)))
		list = append(list, taken(e, p, samples(e, dst))...)
	}
	return []any{list}
}

// averagePool divides sums by how many pixels of a window count.
func averagePool(e *env, n *node) []any {
	p := n.pooling()
	var weights []float32
	for y := range p.window[0] {
		for x := range p.window[1] {
			w := float32(0)
			if p.inside(y, x) {
				w = 1
			}
			weights = append(weights, w)
		}
	}
	low, high := []int{0, 0}, p.size
	if n.flag("count_include_pad", false) {
		low, high = []int{-p.pad[0], -p.pad[1]}, []int{p.size[0] + p.end[0], p.size[1] + p.end[1]}
	}
	var list []float32
	for plane := range slices.Chunk(elements[float32](n.Inputs[0]), p.size[0]*p.size[1]) {
		dst := blank[float32](e, p.size[1], p.size[0])
		e.check(image.Filter2D(e.s, dst, picture(e, p.size[1], p.size[0], plane), weights, p.window[1], image.Constant(0)))
		for i, sum := range taken(e, p, samples(e, dst)) {
			count := float32(0)
			for k, w := range weights {
				y, x := i/p.result[1]*p.stride[0]-p.pad[0]+k/p.window[1], i%p.result[1]*p.stride[1]-p.pad[1]+k%p.window[1]
				if y >= low[0] && y < high[0] && x >= low[1] && x < high[1] {
					count += w
				}
			}
			list = append(list, sum/count)
		}
	}
	return []any{list}
}
