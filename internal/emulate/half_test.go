package emulate

import (
	"math"
	"testing"
)

// TestHalf converts all binary16 numbers to float64 and back, and rounds numbers between two of
// them.
func TestHalf(t *testing.T) {
	const nan = 0x7E00
	for bits := range uint64(1 << 16) {
		x := HalfValue(bits)
		want := bits
		if math.IsNaN(x) {
			want = nan
		}
		if got := HalfBits(x, nan); got != want {
			t.Fatalf("%#x becomes %v and %#x", bits, x, got)
		}
		if bits&0x7FFF >= 0x7C00 {
			continue
		}
		next := HalfValue(bits + 1) // away from zero
		if bits&0x7FFF == 0x7BFF {
			next = math.Copysign(65536, x) // overflow
		}
		middle := (x + next) / 2
		for _, test := range []struct {
			x    float64
			want uint64
		}{{middle, bits + bits&1}, {math.Nextafter(middle, x), bits}, {math.Nextafter(middle, next), bits + 1}} {
			if got := HalfBits(test.x, nan); got != test.want {
				t.Fatalf("%v becomes %#x, want %#x", test.x, got, test.want)
			}
		}
	}
}

// TestSumToOdd compares float32 FMAs of all signs with the exact sum rounded once.
func TestSumToOdd(t *testing.T) {
	const tiny = 0x1p-100
	half := 1 + 0x1p-24 // halfway between two float32
	for _, test := range []struct{ a, b, want float64 }{
		{half, 0, 1}, {half, tiny, 1 + 0x1p-23}, {half, -tiny, 1},
		{-half, 0, -1}, {-half, -tiny, -1 - 0x1p-23}, {-half, tiny, -1},
	} {
		if got := float64(float32(SumToOdd(test.a, test.b))); got != test.want {
			t.Errorf("%v + %v is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
