package gpu

import (
	"errors"
	"testing"
)

// TestUsable: the buffers that a stream takes, and the streams that take none.
func TestUsable(t *testing.T) {
	d, _ := newFake(t)
	other, _ := newFake(t)
	s, closed := must(d.NewStream()), must(d.NewStream())
	x, gone, foreign := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64)), must(Alloc[float32](other, 64))
	part := must(gone.Slice(0, 32))
	check(t, errors.Join(gone.Close(), closed.Close()))
	for name, test := range map[string]struct {
		stream *Stream
		buffer Bound
		want   error
	}{
		"a buffer":          {s, x, nil},
		"its bytes":         {s, x.Raw(), nil},
		"a closed buffer":   {s, gone, ErrClosed},
		"a slice of it":     {s, part, ErrClosed},
		"of another device": {s, foreign, ErrShape},
		"a closed stream":   {closed, x, ErrClosed},
	} {
		if err := test.stream.Usable(test.buffer); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// TestOverlap: parts of one buffer share bytes or not; two buffers never do.
func TestOverlap(t *testing.T) {
	d, _ := newFake(t)
	x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
	low, high := must(x.Slice(0, 32)), must(x.Slice(32, 64))
	for name, test := range map[string]struct {
		a, b Bound
		want bool
	}{
		"itself":      {x, x, true},
		"a part":      {x, high, true},
		"its bytes":   {low.Raw(), x, true},
		"two halves":  {low, high, false},
		"two buffers": {x, y, false},
	} {
		if got := Overlap(test.a, test.b); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCapturing: within Capture alone.
func TestCapturing(t *testing.T) {
	d, _ := newFake(t)
	s := must(d.NewStream())
	inside := false
	r := must(s.Capture(func() error { inside = s.Capturing(); return nil }))
	if !inside || s.Capturing() {
		t.Errorf("inside %v, outside %v", inside, s.Capturing())
	}
	check(t, r.Close())
}
