package image

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Median makes each sample of dst the median of those of src that are at most radius rows and
// columns away, 1 to 7. Dst and src have the same sizes. A radius of 1 is the fastest by far. NaN
// is larger than all numbers.
func Median[T Sample](s *gpu.Stream, dst, src Image[T], radius int, b Border) error {
	const o operation = "Median"
	if radius != 1 {
		return ranked(s, o, dst, src, radius, 0.5, b)
	}
	if err := checkEqual(o, dst, src); err != nil || dst.empty() {
		return err
	}
	var w words
	w.border(b.border)
	w.views(dst.view(), src.view())
	return ofMedian3.launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, src.Buffer)
}

// Percentile makes each sample of dst one of those of src that are at most radius rows and columns
// away, 1 to 7. Of these, n, it is number fraction·(n-1), rounded, in ascending order. So 0 is the
// smallest, 0.5 the median and 1 the largest. Dst and src have the same sizes.
func Percentile[T Sample](s *gpu.Stream, dst, src Image[T], radius int, fraction float64, b Border) error {
	return ranked(s, "Percentile", dst, src, radius, fraction, b)
}

func ranked[T Sample](s *gpu.Stream, o operation, dst, src Image[T], radius int, fraction float64, b Border) error {
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if err := o.between("radius", radius, 1, 7); err != nil {
		return err
	}
	if !(fraction >= 0 && fraction <= 1) {
		return o.wrong("fraction", "0 to 1", formatted(fraction))
	}
	if dst.empty() {
		return nil
	}
	number := float32(math.RoundToEven(fraction * float64((2*radius+1)*(2*radius+1)-1)))
	var w words
	w.ints(radius)
	w.floats(number)
	w.border(b.border)
	w.views(dst.view(), src.view())
	return ofRank.launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, src.Buffer)
}

// Bilateral makes each pixel of dst a mean of the pixels of src that are at most radius rows and
// columns away, 0 to 16. Each has the weight exp(-d²/(2·space²) - c²/(2·tone²)). D is its distance
// in pixels. C is that of the samples as vectors, in fractions of the full intensity, so that
// edges remain sharp. Both deviations are above 0. Dst and src have the same sizes.
func Bilateral[T Sample](s *gpu.Stream, dst, src Image[T], radius int, space, tone float64, b Border) error {
	const o operation = "Bilateral"
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if err := o.between("radius", radius, 0, 16); err != nil {
		return err
	}
	if !(space > 0) {
		return o.wrong("space", "a number above 0", formatted(space))
	}
	if !(tone > 0) {
		return o.wrong("tone", "a number above 0", formatted(tone))
	}
	if dst.empty() {
		return nil
	}
	tone *= float64(fullOf[T]())
	var w words
	w.ints(radius)
	w.floats(float32(-1/(2*space*space)), float32(-1/(2*tone*tone)))
	w.border(b.of(src.Channels))
	w.views(dst.view(), src.view())
	return ofBilateral.launch(s, kindOf[T](), grid(dst.Width, dst.Height), &w, dst.Buffer, src.Buffer)
}
