package image

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// maxTaps is how many weights a filter has at most in a direction.
const maxTaps = 1025

// SeparableFilter filters the columns of src with the weights y and its rows with the weights x,
// and writes dst, which has the same sizes. Both have an odd number of weights, at most 1025, and
// the middle one is that of the pixel itself. The first weight is that of the leftmost or highest
// pixel: it is a correlation. Sums are in the order of the weights, y first.
//
// More than 65 weights, or rows of weights that span more than 128 samples on either side, take two
// passes and a float32 of the stream's memory for each sample.
func SeparableFilter[T Sample](s *gpu.Stream, dst, src Image[T], x, y []float32, b Border) error {
	const o operation = "SeparableFilter"
	for _, p := range [...]struct {
		name    string
		weights []float32
	}{{"x", x}, {"y", y}} {
		if len(p.weights)%2 == 0 || len(p.weights) > maxTaps {
			return o.wrong(p.name, fmt.Sprintf("an odd number of weights, at most %d", maxTaps), fmt.Sprint(len(p.weights)))
		}
	}
	return separableFilter(s, o, dst, src, x, y, b)
}

// separableFilter is SeparableFilter with weights that are right.
func separableFilter[T Sample](s *gpu.Stream, o operation, dst, src Image[T], x, y []float32, b Border) error {
	if err := checkEqual(o, dst, src); err != nil || dst.empty() {
		return err
	}
	if len(x) > tapLimit || len(y) > tapLimit || len(x)/2*src.Channels > tileHalo {
		return inTwoPasses(s, dst, src, x, y, b)
	}
	if len(x) != 3 || len(y) != 3 {
		return inRows(s, dst, src, x, y, b)
	}
	g := gpu.D2(uint32((dst.Width*dst.Channels+tileWidth-1)/tileWidth), uint32((dst.Height+tileRows-1)/tileRows))
	var w words
	w.floats(x...)
	w.floats(y...)
	w.border(b.border)
	w.views(dst.view(), src.view())
	return ofThreeTaps.launch(s, kindOf[T](), g, &w, dst.Buffer, src.Buffer)
}

// inRows launches separableRows.
func inRows[T Sample](s *gpu.Stream, dst, src Image[T], x, y []float32, b Border) error {
	// The bands of a row have equally many samples, whole words of them. Of two spans that one is
	// taken with which all items together take fewer steps.
	samples := dst.Width * dst.Channels
	halo := (len(x)/2*dst.Channels + 3) &^ 3
	bands, width, least := 0, 0, maxSamples
	for span := bandSpan; span > bandSpan/2; span -= bandSpan / 3 {
		n := (samples + span - 2*halo - 1) / (span - 2*halo)
		of := ((samples+n-1)/n + 3) &^ 3
		step := items * perWord[T]()
		if steps := n * ((of + 2*halo + step - 1) / step); steps < least {
			bands, width, least = n, of, steps
		}
	}
	k, room := &ofSeparableRows, tapLimit
	if len(x) == 5 && len(y) == 5 && perWord[T]() != 2 {
		k, room = &ofFiveTapsRows, 5
	}
	var w words
	for _, weights := range [2][]float32{x, y} {
		w.floats(weights...)
		w.n += room - len(weights)
	}
	w.ints(len(x)/2, len(y)/2, width)
	w.border(b.border)
	w.views(dst.view(), src.view())
	g := gpu.D2(uint32(bands), uint32((dst.Height+tileRows-1)/tileRows))
	return k.launch(s, kindOf[T](), g, &w, dst.Buffer, src.Buffer)
}

// inTwoPasses filters columns into memory of the stream, and from there rows.
func inTwoPasses[T Sample](s *gpu.Stream, dst, src Image[T], x, y []float32, b Border) error {
	between, err := NewUninitialized[float32](s, src.Width, src.Height, src.Channels)
	if err != nil {
		return err
	}
	defer between.Close()
	weights, err := gpu.AllocUninitialized[float32](s, len(x)+len(y))
	if err != nil {
		return err
	}
	defer weights.Close()
	var both [2 * maxTaps]float32
	copy(both[copy(both[:], y):], x)
	if err := weights.Write(s, both[:len(x)+len(y)]); err != nil {
		return err
	}
	columns := resampling{Taps: len(y), Before: len(y) / 2}
	if err := resampledColumns(s, columns, b.border, between, src, weights); err != nil {
		return err
	}
	// Pixels beside the image are columns of the constant, filtered as all columns are.
	for c, v := range b.border.Value {
		sum := float32(0)
		for _, w := range y {
			sum += float32(v * w)
		}
		b.border.Value[c] = sum
	}
	rows := resampling{Taps: len(x), Before: len(x) / 2, Skip: len(y)}
	return resampledRows(s, rows, b.border, dst, between, weights)
}

// GaussianWeights returns the weights of a Gaussian filter with this standard deviation in pixels,
// for radius pixels on either side. Their sum is 1.
func GaussianWeights(sigma float64, radius int) []float32 {
	if radius < 0 || radius > maxTaps/2 {
		return nil
	}
	return gaussian(make([]float32, 2*radius+1), sigma)
}

func gaussian(weights []float32, sigma float64) []float32 {
	radius, sum := len(weights)/2, 0.0
	at := func(d int) float64 {
		if d == 0 {
			return 1 // also for a σ of 0
		}
		return math.Exp(-float64(d*d) / (2 * sigma * sigma))
	}
	for i := range weights {
		sum += at(i - radius)
	}
	for i := range weights {
		weights[i] = float32(at(i-radius) / sum)
	}
	return weights
}

// GaussianBlur blurs src with a standard deviation of sigma pixels, from 0 to 128, and writes dst,
// which has the same sizes. The filter is as in SciPy's ndimage: its radius is 4σ, rounded.
func GaussianBlur[T Sample](s *gpu.Stream, dst, src Image[T], sigma float64, b Border) error {
	const o operation = "GaussianBlur"
	if !(sigma >= 0 && sigma <= 128) {
		return o.wrong("sigma", "0 to 128", fmt.Sprint(sigma))
	}
	var weights [maxTaps]float32
	w := gaussian(weights[:2*int(4*sigma+0.5)+1], sigma)
	return separableFilter(s, o, dst, src, w, w, b)
}

// BoxBlur makes each pixel of dst the mean of the pixels of src that are at most radiusX columns
// and radiusY rows away, from 0 to 512. Dst and src have the same sizes.
func BoxBlur[T Sample](s *gpu.Stream, dst, src Image[T], radiusX, radiusY int, b Border) error {
	const o operation = "BoxBlur"
	if err := o.between("radiusX", radiusX, 0, maxTaps/2); err != nil {
		return err
	}
	if err := o.between("radiusY", radiusY, 0, maxTaps/2); err != nil {
		return err
	}
	if err := checkEqual(o, dst, src); err != nil || dst.empty() {
		return err
	}
	if fitsBox(dst, src, radiusX, radiusY, b) {
		return boxed(s, dst, src, radiusX, radiusY, b)
	}
	var x, y [maxTaps]float32
	return separableFilter(s, o, dst, src, equalWeights(x[:2*radiusX+1]), equalWeights(y[:2*radiusY+1]), b)
}

func equalWeights(weights []float32) []float32 {
	for i := range weights {
		weights[i] = 1 / float32(len(weights))
	}
	return weights
}

// fitsBox reports whether box computes a mean. It is faster than separable filters, whose results
// are the same.
func fitsBox[T Sample](dst, src Image[T], radiusX, radiusY int, b Border) bool {
	const row = 4 * boxWords
	samples := src.Width * src.Channels
	return perWord[T]() == 4 && b.border.Mode != constant &&
		radiusX*src.Channels <= 8 && radiusY <= boxRadius && samples >= 2*row && samples%row == 0 &&
		(dst.Offset|dst.Stride|src.Offset|src.Stride)%4 == 0
}

// boxed launches box.
func boxed[T Sample](s *gpu.Stream, dst, src Image[T], radiusX, radiusY int, b Border) error {
	masks, count := masksOf(radiusX, src.Channels)
	var w words
	for _, mask := range masks[:count] {
		for _, word := range mask {
			w.ints(int(word))
		}
	}
	n := (2*radiusX + 1) * (2*radiusY + 1)
	w.ints(radiusY, (1<<24+n/2)/n)
	w.border(b.border)
	w.views(dst.view(), src.view())
	g := grid(src.Width*src.Channels/(4*boxWords), (src.Height+boxRows-1)/boxRows)
	return ofBox.launch(s, (count-1)/2, g, &w, dst.Buffer, src.Buffer)
}

// masksOf returns the masks of box, and how many there are.
func masksOf(radius, channels int) (masks [5][4]uint32, count int) {
	reach := radius * channels
	count = 5
	if reach <= 4 {
		count = 3
	}
	if reach <= 2 {
		count = 2
	}
	for j := range count {
		for k := range 4 {
			first := 4 * (j - count/2)
			if count == 2 && k > 1 {
				first += 4
			}
			for i := range 4 {
				if d := first + i - k; d >= -reach && d <= reach && d%channels == 0 {
					masks[j][k] |= 1 << (8 * i)
				}
			}
		}
	}
	return masks, count
}
