package signal

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func checkSTFT(t *testing.T, s *gpu.Stream) {
	testSTFT[float32, complex64](t, s, 1000, 2, Periodic(Hann, 64), 16)
	testSTFT[float64, complex128](t, s, 300, 1, Hamming(45), 20)
	testSTFT[float32, complex64](t, s, 100, 3, Rectangular(10), 25)
	testSTFT[float32, complex64](t, s, 10, 3, Hann(11), 1)
	testSTFT[float32, complex64](t, s, 0, 3, Hann(11), 1)
	testSTFT[float32, complex64](t, s, 1, 1, Hann(1), 1)
}

// testSTFT compares with transforms of single frames by their definition. The inverse is the
// signal where a window has weight, and zero elsewhere.
func testSTFT[T Float, C Complex](t *testing.T, s *gpu.Stream, samples, batch int, window []float64, hop int) {
	t.Helper()
	plan, err := PlanSTFT[T, C](s, samples, batch, window, hop)
	check(t, err)
	defer plan.Close()
	host, exact := reals[T](samples*batch, 4)
	x, y := buffer(t, s, host), buffer(t, s, make([]C, batch*plan.Frames()*plan.Bins()))
	check(t, plan.Forward(x, y))
	got := wide(read(t, s, y))
	n := len(window)
	weight := make([]float64, samples)
	frames := 0
	for at := 0; at+n <= samples; at += hop {
		for b := range batch {
			frame := make([]complex128, n)
			for k := range frame {
				frame[k] = complex(float64(T(exact[b*samples+at+k]*float64(T(window[k])))), 0)
			}
			want := reference(frame, []int{n}, false)[:n/2+1]
			if e := relativeError(got[(b*plan.Frames()+frames)*plan.Bins():][:plan.Bins()], want); !(e < 2*limit[C](n)) {
				t.Fatalf("%T: frame %d of signal %d: an error of %.3g", *new(C), frames, b, e)
			}
		}
		for k, w := range window {
			weight[at+k] += w * w
		}
		frames++
	}
	if frames != plan.Frames() {
		t.Fatalf("%d frames, want %d", plan.Frames(), frames)
	}
	back := buffer(t, s, make([]T, samples*batch))
	ones := make([]T, samples*batch)
	for k := range ones {
		ones[k] = 1
	}
	check(t, back.Write(s, ones))
	check(t, plan.Inverse(y, back))
	for k, v := range read(t, s, back) {
		want := exact[k]
		if weight[k%samples] == 0 {
			want = 0
		}
		if e := math.Abs(float64(v)-want) * math.Sqrt(weight[k%samples]); !(e < 10*limit[C](n)) {
			t.Fatalf("%T: sample %d after the inverse is %v, want %v", *new(T), k, v, want)
		}
	}
}
