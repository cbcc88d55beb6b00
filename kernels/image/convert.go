package image

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Convert makes dst the samples of src, of any type, times scale. They have the same width, height
// and channels. Scale 1 copies; [Scale] is the one that keeps intensities.
func Convert[T, U Sample](s *gpu.Stream, dst Image[T], src Image[U], scale float32) error {
	return convertTo(s, "Convert", dst, src, scale, minusZero())
}

// ConvertLinear makes dst scale·v + shift for each sample v of src, as Convert does.
func ConvertLinear[T, U Sample](s *gpu.Stream, dst Image[T], src Image[U], scale, shift float32) error {
	return convertTo(s, "ConvertLinear", dst, src, scale, shift)
}

// minusZero is the number whose sum with any x is x.
func minusZero() float32 { return math.Float32frombits(1 << 31) }

// Scale returns the factor between the full intensities of two types: 1 of float32, 255 of uint8
// and 65535 of uint16.
func Scale[T, U Sample]() float32 { return fullOf[T]() / fullOf[U]() }

func convertTo[T, U Sample](s *gpu.Stream, o operation, dst Image[T], src Image[U], scale, shift float32) error {
	if err := checkEqual(o, dst, src); err != nil || dst.empty() {
		return err
	}
	var w words
	w.floats(scale, shift)
	w.views(dst.view(), src.view())
	return ofConvert[kindOf[U]()].launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, src.Buffer)
}

// Combine makes dst ofA·v + ofB·w + shift for the samples v of a and w of b. The factors 1 and -1
// make a difference, and two whose sum is 1 a mixture. All have the same sizes. A and b may be the
// same image.
func Combine[T Sample](s *gpu.Stream, dst, a, b Image[T], ofA, ofB, shift float32) error {
	const o operation = "Combine"
	for _, m := range [...]struct {
		name  string
		image Image[T]
	}{{"dst", dst}, {"a", a}, {"b", b}} {
		if err := check(o, m.name, m.image); err != nil {
			return err
		}
		if err := equal(o, m.name, m.image, "dst", dst); err != nil {
			return err
		}
	}
	if err := apart(o, "dst", dst, "a", a); err != nil {
		return err
	}
	if err := apart(o, "dst", dst, "b", b); err != nil || dst.empty() {
		return err
	}
	var w words
	w.floats(ofA, ofB, shift)
	w.views(dst.view(), a.view(), b.view())
	return ofCombine.launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, a.Buffer, b.Buffer)
}
