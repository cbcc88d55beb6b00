package image

import (
	"context"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Interpolation says how the values between and of pixels are computed.
type Interpolation uint32

const (
	Nearest      Interpolation = iota // the nearest pixel
	Bilinear                          // a triangle, of two pixels in each direction
	Bicubic                           // Keys' cubic with a = -1/2 (Catmull-Rom), of four pixels
	BicubicSharp                      // Keys' cubic with a = -3/4, as in OpenCV and PyTorch
	// The following are for Resize alone.
	Lanczos3 // sinc windowed by sinc, of six pixels
	Area     // the mean over the area of the pixel, with parts of pixels at its edges
)

// String returns the name of the constant.
func (i Interpolation) String() string {
	if int(i) < len(interpolations) {
		return interpolations[i].name
	}
	return fmt.Sprintf("Interpolation(%d)", uint32(i))
}

// interpolations have the radius of each kernel in pixels, and the kernel.
var interpolations = [...]struct {
	name   string
	radius float64
	kernel func(float64) float64
}{
	Nearest:      {"Nearest", 0, nil},
	Bilinear:     {"Bilinear", 1, func(x float64) float64 { return max(1-math.Abs(x), 0) }},
	Bicubic:      {"Bicubic", 2, func(x float64) float64 { return keys(x, -0.5) }},
	BicubicSharp: {"BicubicSharp", 2, func(x float64) float64 { return keys(x, -0.75) }},
	Lanczos3:     {"Lanczos3", 3, lanczos3},
	Area:         {"Area", 0, nil},
}

// keys is the cubic kernel of Keys (1981).
func keys(x, a float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

func lanczos3(x float64) float64 {
	if math.Abs(x) >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// table returns how each of n pixels of a result is made of others. It has the numbers of the
// first sources of all pixels, then all first weights, then all second ones, and so on. There are
// taps weights for each. The middle of pixel i of the result is at begin + (i+½)·size/n - ½ in the
// source.
//
// With antialias the kernel is as much wider as the result is smaller. What it has outside of the
// source is left out then, and the weights are divided by their sum, as Pillow does. Without it
// pixels outside are those at the edge, as in OpenCV.
func table(n, from int, begin, size float64, how Interpolation, antialias bool) (taps int, records []float32) {
	scale := size / float64(n)
	k := interpolations[how]
	wide := 1.0
	if antialias {
		wide = max(scale, 1)
	}
	weights := make([]float64, from)
	type span struct{ first, end int }
	spans := make([]span, n)
	rows := make([][]float64, n)
	for i := range n {
		center := begin + (float64(i)+0.5)*scale - 0.5
		var low, high int // pixels with weights
		weight := func(j int) float64 { return k.kernel((float64(j) - center) / wide) }
		switch how {
		case Nearest:
			low = min(max(int(math.Floor(begin+(float64(i)+0.5)*scale)), 0), from-1)
			high = low + 1
			weight = func(int) float64 { return 1 }
		case Area:
			left, right := begin+float64(i)*scale, begin+float64(i+1)*scale
			low, high = max(int(math.Floor(left)), 0), min(int(math.Ceil(right)), from)
			weight = func(j int) float64 { return max(min(right, float64(j+1))-max(left, float64(j)), 0) }
		default:
			low, high = int(math.Floor(center-k.radius*wide))+1, int(math.Ceil(center+k.radius*wide))
		}
		if low >= high { // between two pixels of an exact multiple
			high = low + 1
		}
		first, end := min(max(low, 0), from-1), min(max(high, 1), from)
		clear(weights[first:end])
		sum := 0.0
		for j := low; j < high; j++ {
			if antialias && (j < 0 || j >= from) {
				continue
			}
			w := weight(j)
			weights[min(max(j, first), end-1)] += w
			sum += w
		}
		if sum == 0 { // all of it is outside
			weights[first], sum = 1, 1
		}
		rows[i] = make([]float64, end-first)
		for j := range rows[i] {
			rows[i][j] = weights[first+j] / sum
		}
		spans[i] = span{first, end}
		taps = max(taps, end-first)
	}
	records = make([]float32, n*(taps+1))
	for i, s := range spans {
		first := min(s.first, from-taps)
		records[i] = float32(first)
		for j, w := range rows[i] {
			records[i+(s.first-first+j+1)*n] = float32(w)
		}
	}
	return taps, records
}

// isHalving reports whether each pixel i of a table is the mean of the pixels 2·i and 2·i+1.
func isHalving(taps int, records []float32) bool {
	n := len(records) / (taps + 1)
	for i, first := range records[:n] {
		if taps != 2 || first != float32(2*i) || records[n+i] != 0.5 || records[2*n+i] != 0.5 {
			return false
		}
	}
	return true
}

// ResizePlan has what is computed once for changes between two sizes. PlanResize makes it. Any
// number of streams of its device may use it at once.
type ResizePlan struct {
	dst, src [2]int // width and height
	weighing
}

// weighing is how many weights each column and row of a result has at most, and their tables. Step
// is how far apart columns of the result are in the source.
type weighing struct {
	taps   [2]int
	tables [2]*gpu.Buffer[float32]
	step   float64
	halves [2]bool // each column or row is the mean of two, the first ones those at the edge
}

// PlanResize prepares changes of size by Resize, from a width and height to others, which are not
// 0.
//
// The middle of pixel i of the result is at (i+½)·from/to - ½ in the source, the half-pixel
// convention of Pillow, OpenCV and PyTorch. With antialias kernels are widened for results that are
// smaller, as in Pillow; pixels outside do not count. Without it pixels outside are those at the
// edge, as in OpenCV. Area and Nearest are the same with it and without.
func PlanResize(ctx context.Context, d *gpu.Device, width, height, fromWidth, fromHeight int, how Interpolation, antialias bool) (*ResizePlan, error) {
	return planResize(ctx, d, "PlanResize", width, height, fromWidth, fromHeight, Window{0, 0, float64(fromWidth), float64(fromHeight)}, how, antialias)
}

// Window is a part of an image, in pixels from its upper left corner. It need not consist of whole
// pixels, and may reach beyond the image.
type Window struct{ X, Y, Width, Height float64 }

// PlanResizeWindow prepares changes of size as PlanResize does, of a part of the source: the middle
// of column i of the result is at X + (i+½)·Width/width - ½. All that PlanResize says of pixels
// outside is of those outside of the source. Width and Height are above 0, and the window is within
// 65536 pixels of the source on each side.
//
// It has the conventions of other libraries, too. For results whose corner pixels are those of the
// source ("align corners") a window begins at ½ - s/2 and has the size s·width, where s is
// (fromWidth-1)/(width-1).
func PlanResizeWindow(ctx context.Context, d *gpu.Device, width, height, fromWidth, fromHeight int, w Window, how Interpolation, antialias bool) (*ResizePlan, error) {
	return planResize(ctx, d, "PlanResizeWindow", width, height, fromWidth, fromHeight, w, how, antialias)
}

func planResize(ctx context.Context, d *gpu.Device, o operation, width, height, fromWidth, fromHeight int, w Window, how Interpolation, antialias bool) (*ResizePlan, error) {
	for _, n := range [...]struct {
		name string
		n    int
	}{{"width", width}, {"height", height}, {"fromWidth", fromWidth}, {"fromHeight", fromHeight}} {
		if err := o.between(n.name, n.n, 1, maxSide); err != nil {
			return nil, err
		}
	}
	if how > Area {
		return nil, o.wrong("how", "an interpolation", how.String())
	}
	p := &ResizePlan{dst: [2]int{width, height}, src: [2]int{fromWidth, fromHeight}}
	p.step = w.Width / float64(width)
	for i, part := range [2][2]float64{{w.X, w.Width}, {w.Y, w.Height}} {
		const most = maxSide + 1
		if !(part[1] > 0 && part[0] >= -most && part[0]+part[1] <= float64(p.src[i]+most)) {
			return nil, o.wrong("window", "a size above 0, within 65536 pixels of the source", fmt.Sprint(w))
		}
	}
	for i, part := range [2][2]float64{{w.X, w.Width}, {w.Y, w.Height}} {
		var records []float32
		p.taps[i], records = table(p.dst[i], p.src[i], part[0], part[1], how, antialias && how != Nearest && how != Area)
		p.halves[i] = isHalving(p.taps[i], records)
		var err error
		if p.tables[i], err = gpu.Upload(ctx, d, records); err != nil {
			_ = p.Close() // the first error is what the caller has to know
			return nil, err
		}
	}
	return p, nil
}

// Close frees the plan's memory once the work that uses it has finished. Closing twice is no error.
func (p *ResizePlan) Close() error {
	if p == nil {
		return nil
	}
	var first error
	for _, b := range p.tables {
		if b != nil {
			if err := b.Close(); first == nil {
				first = err
			}
		}
	}
	return first
}

// maxDirect is how many pixels Resize weighs in one kernel for a pixel of the result.
const maxDirect = 4

// ResizeBy makes dst what the plan says of src. Both have the same channels. Sums are of columns
// first, from top to bottom, then of rows, in float32. If at most 4 pixels make one of the result
// there is one kernel, and for 4 × 4 unless dst is far smaller. Otherwise there are two, and a
// float32 of the stream's memory for each sample of a source as high as dst.
func ResizeBy[T Sample](s *gpu.Stream, p *ResizePlan, dst, src Image[T]) error {
	const o operation = "ResizeBy"
	if p == nil || p.tables[1] == nil {
		return o.wrong("plan", "one of PlanResize", "none")
	}
	if err := checkBoth(o, dst, src); err != nil {
		return err
	}
	for _, m := range [...]struct {
		name  string
		sizes [2]int
		image Image[T]
	}{{"dst", p.dst, dst}, {"src", p.src, src}} {
		if m.image.Width != m.sizes[0] || m.image.Height != m.sizes[1] {
			return o.wrong(m.name, fmt.Sprintf("%d × %d, as the plan has", m.sizes[0], m.sizes[1]), fmt.Sprintf("%d × %d", m.image.Width, m.image.Height))
		}
	}
	if err := o.count("channels of dst", dst.Channels, src.Channels); err != nil {
		return err
	}
	return resized(s, dst, src, &p.weighing)
}

// columnsOfTile returns how many columns of a result resampleTile computes in a workgroup. Their
// sources have room in a window, and the items have a few samples each.
func (w *weighing) columnsOfTile(channels int) int {
	pixels := windowWidth / channels
	// Runs begin up to 3 samples before the first pixel, and distances are rounded up.
	return int(min(float64(pixels-w.taps[0]-6)/w.step, float64(2*pixels))) &^ 3
}

// leastOfTile is how many columns have to have room for resampleTile to be faster than other ways.
const leastOfTile = 16

// resized launches the kernels of a change of size.
func resized[T Sample](s *gpu.Stream, dst, src Image[T], weigh *weighing) error {
	taps, tables := weigh.taps, weigh.tables
	var w words
	if perWord[T]() == 4 && weigh.halves == [2]bool{true, true} {
		w.views(dst.view(), src.view())
		return ofHalve.launch(s, 0, grid((dst.Width*dst.Channels+11)/12, dst.Height), &w, dst.Buffer, src.Buffer)
	}
	k, tiles := &ofFourColumns, taps == [2]int{4, 4}
	if taps == [2]int{2, 2} {
		// Pixels one by one are faster on processors, and where most of the source is left out.
		k, tiles = &ofTwoColumns, weigh.step <= 4 && s.Device().Info().Driver != gpu.CPU
		// Tiles are for sources that several pixels have in common.
		if perWord[T]() == 1 && (weigh.step > 1 || !tiles) {
			w.views(dst.view(), src.view())
			g := byRuns(dst)
			g.Y = (g.Y + tileRows - 1) / tileRows
			return ofResamplePairs.launch(s, 0, g, &w, dst.Buffer, src.Buffer, tables[0], tables[1])
		}
	}
	if columns := weigh.columnsOfTile(dst.Channels); tiles && columns >= leastOfTile {
		count := (dst.Width + columns - 1) / columns
		w.ints(((dst.Width+count-1)/count + 3) &^ 3) // equally many, whole words
		w.views(dst.view(), src.view())
		g := gpu.D2(uint32(count), uint32((dst.Height+tileRows-1)/tileRows))
		return k.launch(s, kindOf[T](), g, &w, dst.Buffer, src.Buffer, tables[0], tables[1])
	}
	if taps[0]*taps[1] <= maxDirect {
		w.ints(taps[1], taps[0])
		w.views(dst.view(), src.view())
		return ofResampleBoth.launch(s, kindOf[T](), grid(dst.Width, dst.Height), &w, dst.Buffer, src.Buffer, tables[0], tables[1])
	}
	between, err := NewUninitialized[float32](s, src.Width, dst.Height, src.Channels)
	if err != nil {
		return err
	}
	defer between.Close()
	if err := resampledColumns(s, resampling{Taps: taps[1], Table: true}, border{}, between, src, tables[1]); err != nil {
		return err
	}
	return resampledRows(s, resampling{Taps: taps[0], Table: true}, border{}, dst, between, tables[0])
}

// Resize makes dst the pixels of src in another size, as PlanResize and ResizeBy do. It computes
// the weights anew each time, and keeps them in the stream's memory meanwhile: a plan is faster.
func Resize[T Sample](s *gpu.Stream, dst, src Image[T], how Interpolation, antialias bool) error {
	const o operation = "Resize"
	if err := checkBoth(o, dst, src); err != nil {
		return err
	}
	if err := o.count("channels of dst", dst.Channels, src.Channels); err != nil {
		return err
	}
	if how > Area {
		return o.wrong("how", "an interpolation", how.String())
	}
	if dst.empty() {
		return nil
	}
	if src.empty() {
		return o.wrong("src", "pixels", sizesOf(src))
	}
	weigh := weighing{step: float64(src.Width) / float64(dst.Width)}
	for i, n := range [2][2]int{{dst.Width, src.Width}, {dst.Height, src.Height}} {
		var records []float32
		weigh.taps[i], records = table(n[0], n[1], 0, float64(n[1]), how, antialias && how != Nearest && how != Area)
		weigh.halves[i] = isHalving(weigh.taps[i], records)
		b, err := gpu.AllocUninitialized[float32](s, len(records))
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.Write(s, records); err != nil {
			return err
		}
		weigh.tables[i] = b
	}
	return resized(s, dst, src, &weigh)
}
