package sampling

import "testing"

// TestUnorm compares the sums of products that unorm builds with the quotients, for all numbers.
func TestUnorm(t *testing.T) {
	for _, bits := range []int{2, 8, 10, 16} {
		high, low := reciprocal(bits)
		most := 1<<bits - 1
		for n := range most + 1 {
			x := float32(n)
			first, second := float32(x*float32(high)), float32(x*float32(low))
			if got, want := float32(first+second), float32(float64(n)/float64(most)); got != want {
				t.Fatalf("%d of %d bits is %g, expected %g", n, bits, got, want)
			}
		}
	}
}
